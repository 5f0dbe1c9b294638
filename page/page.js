/* The page: what is asked, in fields and behind #; what the worker answers, as text and pictures. Text of files and answers
 * only ever becomes text nodes. */
'use strict';

const at = id => document.getElementById(id);
const PANELS = ['see', 'mine', 'axes'];
const COLLECTIVES = {allreduce: 2, 'reduce-scatter': 1, allgather: 1, 'all-to-all': 1}; /* how often data goes around */
const DTYPES = ['float32', 'bfloat16', 'float16', 'float64'];
/* What stands behind #, by the fields' names. */
const FIELDS = ['line', 'np', 'collective', 'mesh', 'group', 'dtype', 'size', 'own', 'kind', 'job-mesh', 'by', 'model', 'messages', 'ranks',
    'parameters', 'units', 'job-dtype'];
const USUAL = {
    line: '8xH100, 8xNDR400, 32:2', np: '128', collective: 'allreduce', mesh: '', group: '', dtype: 'float32', size: '30', own: '',
    kind: 'place', 'job-mesh': 'tp=8,pp=4,dp=16', by: 'model',
    model: 'num-layers=80,hidden-size=8192,seq-length=4096,micro-batch-size=1,global-batch-size=512',
    messages: 'tp:allreduce:64MiB*160,dp:reduce-scatter:1GiB', ranks: '512', parameters: '70e9', units: '64', 'job-dtype': 'bfloat16',
};
let catalogue = {gpus: [], nics: [], systems: []};
let panel = 'see';
let logName = 'pasted.log';

/* ---- elements ---- */

function element(name, attributes, ...children) {
    const made = document.createElement(name);

    for (const key in attributes)
        made.setAttribute(key, attributes[key]);
    made.append(...children);
    return made;
}

function drawn(name, attributes, ...children) {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);

    for (const key in attributes)
        made.setAttribute(key, attributes[key]);
    made.append(...children);
    return made;
}

/* ---- figures, as the command line writes them (base/units.h, answer/figures.h) ---- */

const UNITS = {ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1};

/* Rounded to four digits first: 999.96 us is 1.000 ms. */
function unitOf(value) {
    const rounded = Number(value.toPrecision(4));

    return rounded < 1e-6 ? 'ns' : rounded < 1e-3 ? 'us' : rounded < 1 ? 'ms' : 's';
}

function seconds(value) {
    const unit = unitOf(value);

    return `${(value / UNITS[unit]).toPrecision(4)} ${unit}`;
}

/* Both of two digits, in the unit of the first. */
function range(low, high) {
    const [first, last] = [low, high].map(value => Number(value.toPrecision(2))), unit = unitOf(first);
    const [a, b] = [first, last].map(value => Number((value / UNITS[unit]).toPrecision(6)));

    return first >= last ? `${a} ${unit}` : `${a} to ${b} ${unit}`;
}

/* At least three digits. */
function gigabytes(rate) {
    return rate < 0.995 ? String(Number(rate.toPrecision(3))) : rate.toFixed(2);
}

function bytes(exponent) {
    const units = ['B', 'KiB', 'MiB', 'GiB'], unit = Math.floor(exponent / 10);

    return String(2 ** (exponent - 10 * unit)) + units[unit];
}

/* ---- state ---- */

const value = name => (at(name).type === 'checkbox' ? (at(name).checked ? '1' : '') : at(name).value.trim());

function setValue(name, text) {
    if (at(name).type === 'checkbox')
        at(name).checked = text === '1';
    else
        at(name).value = text;
}

function readAddress() {
    const given = new URLSearchParams(location.hash.slice(1));

    for (const name of FIELDS)
        setValue(name, given.has(name) ? given.get(name) : USUAL[name]);
    for (const select of document.querySelectorAll('select'))
        if (select.selectedIndex < 0 && FIELDS.includes(select.id))
            select.value = USUAL[select.id];
    panel = PANELS.includes(given.get('panel')) ? given.get('panel') : 'see';
}

function writeAddress() {
    const kept = new URLSearchParams();

    kept.set('panel', panel);
    for (const name of FIELDS)
        if (value(name) !== USUAL[name] || name === 'line')
            kept.set(name, value(name));
    history.replaceState(null, '', '#' + kept);
}

/* The line of parts, from the pickers and back. */
const PARTS = /^\s*(\d+)\s*x\s*([\w-]+?)\s*(?:,\s*(\d+)\s*x\s*([\w-]+)\s*)?(?:,\s*(\d+(?:\s*:\s*[\d.]+)?)\s*)?$/;

function writeLine() {
    const taper = value('taper');

    setValue('line', `${value('gpus') || 8}x${value('gpu') || 'H100'}` + (value('nic') ? `, ${value('nics') || 1}x${value('nic')}` : '') +
        (taper ? `, ${taper}` : ''));
}

function readLine() {
    const parts = PARTS.exec(value('line')) || [];
    const find = (list, key, name) => (list.find(row => row[key].toLowerCase() === String(name || '').toLowerCase()) || {[key]: ''})[key];

    setValue('gpus', parts[1] || '');
    setValue('gpu', find(catalogue.gpus, 'gpu', parts[2]));
    setValue('nics', parts[3] || '');
    setValue('nic', find(catalogue.nics, 'nic', parts[4]));
    setValue('taper', (parts[5] || '').replace(/\s/g, ''));
    readNodes();
}

function readNodes() {
    const nodes = Number(value('np')) / Number(value('gpus'));

    setValue('nodes', value('gpus') && Number.isInteger(nodes) && nodes > 0 ? String(nodes) : '');
}

/* ---- questions ---- */

function given(options) {
    return Object.fromEntries(Object.entries(options).filter(([, text]) => text !== ''));
}

function question() {
    const system = value('line');

    if (panel === 'mine')
        return {
            kind: 'check', system: value('own') ? '' : system, options: {details: 'true'},
            files: [{name: logName, text: at('log').value}], formats: ['text', 'md', 'json'],
        };
    if (panel === 'see') {
        const curve = given({np: value('np'), collective: value('collective'), mesh: value('mesh'), group: value('group'), dtype: value('dtype')});

        return {kind: 'predict', system, options: {...curve, size: bytes(Number(value('size')))}, curve, bytes: 2 ** Number(value('size')), formats: ['text', 'md']};
    }
    if (value('kind') === 'place')
        return {
            kind: 'place', system, formats: ['text', 'md'],
            options: given({mesh: value('job-mesh'), [value('by')]: value(value('by')), dtype: value('job-dtype')}),
        };
    return {
        kind: 'shard', system, formats: ['text', 'md'],
        options: given({np: value('ranks'), parameters: value('parameters'), units: value('units'), dtype: value('job-dtype')}),
    };
}

/* Lines are broken by the browser. */
const UNBROKEN = {width: '400'};

const quoted = word => (/^[\w@%+=:,.\/-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'");

function command(asked) {
    const words = ['hiersearch', asked.kind, ...(asked.system ? [asked.system] : []), ...(asked.files || []).map(file => file.name)];

    for (const [name, text] of Object.entries(asked.options))
        words.push('--' + name, ...(text === 'true' ? [] : [text]));
    return words.map(quoted).join(' ');
}

/* ---- plots: bus bandwidth by size ---- */

const WIDTH = 760, LEFT = 52, RIGHT = 14, TOP = 26, BOTTOM = 34;

/* series: [{kind, name, points: [[bytes, GB/s or [low, high]]]}] */
function plot(where, series, marked) {
    const narrow = at(where).clientWidth < 500;
    const width = narrow ? 400 : WIDTH, height = narrow ? 300 : 340;
    const all = series.flatMap(one => one.points);
    const sizes = all.map(point => Math.log2(point[0])), rates = all.flatMap(point => point[1]);

    at(where).replaceChildren();
    at(where.replace('plot', 'legend')).replaceChildren();
    if (all.length === 0)
        return;
    const first = Math.min(...sizes), last = Math.max(...sizes, first + 1), most = Math.max(...rates) * 1.05;
    const x = size => LEFT + (Math.log2(size) - first) / (last - first) * (width - LEFT - RIGHT);
    const y = rate => height - BOTTOM - rate / most * (height - TOP - BOTTOM);
    const dot = point => `${x(point[0]).toFixed(1)},${y(point[1]).toFixed(1)}`;
    const image = drawn('svg', {class: 'drawn', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'Bus bandwidth in GB/s by message size: ' +
        series.map(one => one.name).join(', ')});
    const words = (text, attributes) => image.append(drawn('text', attributes, text));
    const step = [1, 2, 5].flatMap(d => [-2, -1, 0, 1, 2, 3].map(e => d * 10 ** e)).sort((a, b) => a - b).find(s => most / s <= 6) || 5000;

    for (let rate = 0; rate <= most; rate += step) {
        image.append(drawn('line', {class: 'axis', x1: LEFT, x2: width - RIGHT, y1: y(rate), y2: y(rate)}));
        words(String(Number(rate.toPrecision(3))), {x: LEFT - 6, y: y(rate) + 4, 'text-anchor': 'end'});
    }
    const every = narrow ? 6 : 3;
    for (let e = Math.ceil(first); e <= last; e++)
        if ((e - Math.ceil(first)) % every === 0)
            words(bytes(e), {x: x(2 ** e), y: height - BOTTOM + 17, 'text-anchor': e === Math.ceil(first) ? 'start' : e + every > last ? 'end' : 'middle'});
    words('GB/s', {x: 4, y: 12});
    words('message per process', {x: width - RIGHT, y: height - 3, 'text-anchor': 'end'});
    if (marked)
        image.append(drawn('line', {class: 'here', x1: x(marked), x2: x(marked), y1: TOP, y2: height - BOTTOM}));
    for (const one of series) {
        const points = [...one.points].sort((a, b) => a[0] - b[0]), sample = drawn('svg', {class: 'drawn', viewBox: '0 0 36 14', 'aria-hidden': 'true'});

        if (points.length === 0)
            continue;
        if (one.kind === 'range') {
            image.append(drawn('path', {class: 'range', d: 'M' + points.map(p => dot([p[0], p[1][1]])).join('L') + 'L' +
                points.reverse().map(p => dot([p[0], p[1][0]])).join('L') + 'Z'}));
            sample.append(drawn('rect', {class: 'range', x: 0, y: 1, width: 36, height: 12}));
        } else if (one.kind.startsWith('measured')) {
            image.append(...points.map(p => drawn('circle', {class: one.kind, cx: x(p[0]), cy: y(p[1]), r: 4})));
            sample.append(drawn('circle', {class: one.kind, cx: 18, cy: 7, r: 4}));
        } else {
            image.append(drawn('path', {class: one.kind, d: 'M' + points.map(dot).join('L')}));
            sample.append(drawn('path', {class: one.kind, d: 'M0 7H36'}));
        }
        const key = element('span', {}, sample, one.name);
        at(where.replace('plot', 'legend')).append(key);
    }
    at(where).append(image);
}

/* ---- answers ---- */

function copyButton(name, text) {
    const button = element('button', {type: 'button'}, name);

    button.onclick = async () => {
        try {
            await navigator.clipboard.writeText(text());
        } catch {
            const area = element('textarea', {}, text());
            document.body.append(area);
            area.select();
            document.execCommand('copy');
            area.remove();
        }
        button.textContent = 'Copied';
        setTimeout(() => { button.textContent = name; }, 1200);
    };
    return button;
}

/* The library's own words. Tables scroll; what is asked stands first, then the verdict. */
function words(text) {
    const made = [];
    let table = null;

    for (const line of text.split('\n')) {
        if (/\S {2,}\S.* {2,}\S/.test(line) || (table && /\S {2,}\S/.test(line))) {
            if (!table) {
                table = element('pre', {tabindex: 0});
                made.push(table);
            }
            table.append(line + '\n');
            continue;
        }
        const label = /^[A-Za-z]+: /.exec(line);

        table = null;
        if (line.trim())
            made.push(label ? element('p', {}, element('b', {}, label[0]), line.slice(label[0].length)) : element('p', {}, line.trim()));
    }
    return made;
}

function showError(message) {
    at(panel + '-answer').replaceChildren(element('p', {class: 'error', role: 'alert'}, message));
    if (panel === 'see')
        at('figures').replaceChildren();
    if (panel !== 'axes')
        plot(panel + '-plot', []);
}

function showAnswer(asked, answer) {
    const line = command(asked);

    at(panel + '-answer').replaceChildren(
        ...words(answer.text),
        ...answer.notes.map(note => element('p', {class: 'soft'}, note)),
        element('pre', {class: 'command'}, '$ ' + line),
        element('div', {class: 'row'},
            copyButton('Copy command', () => line),
            copyButton('Copy Markdown', () => '    $ ' + line + '\n\n' + answer.md),
            copyButton('Copy link', () => location.href)),
    );
    if (panel === 'mine')
        plotRows(JSON.parse(answer.json).rows || []);
}

/* ---- what should I see ---- */

const seen = {points: {}, size: 0, factor: 1};

function busFactor() {
    const axes = Object.fromEntries(value('mesh').split(',').map(axis => axis.split('=').map(word => word.trim())));
    const ranks = value('group') ? value('group').split(',').reduce((all, axis) => all * Number(axes[axis.trim()]), 1) : Number(value('np'));

    return COLLECTIVES[value('collective')] * (ranks - 1) / ranks;
}

const best = point => point.candidates.find(candidate => candidate.plan === point.best) || point.candidates[0];

function showFigures(point) {
    const rate = time => `${gigabytes(point.message_bytes / time * seen.factor / 1e9)} GB/s`;
    const tile = (name, figure, below) => element('div', {}, element('dt', {}, name),
        element('dd', {}, element('strong', {}, figure), below));
    const own = point.default, plan = best(point), tiles = [];

    if (own)
        tiles.push(tile(`${own.name}'s default` + (own.choice ? `, ${own.choice}` : ''), seconds(own.seconds),
            `${rate(own.seconds)} bus bandwidth; 90 % range ${range(own.low_seconds, own.high_seconds)}`));
    if (plan)
        tiles.push(tile('Best plan', plan.plan === 'default' ? 'the default' : plan.plan,
            `${seconds(plan.predicted_seconds)}, ${rate(plan.predicted_seconds)}`));
    if (point.bound_seconds)
        tiles.push(tile('No faster than', seconds(point.bound_seconds), `${rate(point.bound_seconds)}, by ${point.bound_by || 'the links'}`));
    at('figures').replaceChildren(...tiles);
}

function showCurve() {
    const points = Object.values(seen.points);
    const curve = take => points.map(point => [point.message_bytes, take(point)]).filter(([, time]) => time > 0)
        .map(([size, time]) => [size, size / time * seen.factor / 1e9]);
    const name = (points.find(point => point.default) || {default: {name: 'library'}}).default.name;

    plot('see-plot', [
        {kind: 'range', name: 'its 90 % range', points: points.filter(point => point.default && point.default.low_seconds > 0)
            .map(point => [point.message_bytes, [point.default.high_seconds, point.default.low_seconds]
                .map(time => point.message_bytes / time * seen.factor / 1e9)])},
        {kind: 'bound', name: 'what the links allow', points: curve(point => point.bound_seconds)},
        {kind: 'best', name: 'best plan', points: curve(point => (best(point) || {}).predicted_seconds)},
        {kind: 'default', name: `${name}'s default`, points: curve(point => (point.default || {}).seconds)},
    ], seen.size);
}

/* ---- is mine right ---- */

function plotRows(rows) {
    const calls = [...new Set(rows.map(row => `${row.call} of ${row.np}`))];
    const of = rows.filter(row => `${row.call} of ${row.np}` === calls[0]);
    const factor = of.length ? (of[0].call === 'allreduce' ? 2 : 1) * (of[0].np - 1) / of[0].np : 1;
    const curve = take => of.map(row => [row.bytes, take(row)]).filter(([, time]) => time > 0).map(([size, time]) => [size, size / time * factor / 1e9]);

    plot('mine-plot', [
        {kind: 'range', name: '90 % range', points: of.filter(row => row.expected_low_seconds > 0)
            .map(row => [row.bytes, [row.expected_high_seconds, row.expected_low_seconds].map(time => row.bytes / time * factor / 1e9)])},
        {kind: 'bound', name: 'what the links allow', points: curve(row => row.bound_seconds)},
        {kind: 'expected', name: `expected of ${calls[0]}`, points: curve(row => row.expected_seconds)},
        {kind: 'measured', name: 'measured', points: curve(row => !row.low && row.seconds)},
        {kind: 'measured low', name: 'measured, low', points: curve(row => row.low && row.seconds)},
    ]);
}

/* ---- the worker ---- */

let worker, asking = 0, pending = null;

function startWorker() {
    const source = new Blob([at('worker').textContent], {type: 'text/javascript'});

    worker = new Worker(URL.createObjectURL(source));
    worker.onmessage = ({data}) => receive(data);
    worker.onerror = event => showError('The page cannot compute here: ' + event.message);
    worker.postMessage({panel: 'start', id: 0});
}

/* Once all of an answer is shown, its number stands in the page (tests wait for it). */
function ask() {
    const asked = question();
    const job = {...asked, options: {...asked.options, ...UNBROKEN}, panel, id: ++asking};

    writeAddress();
    pending = {id: job.id, asked};
    if (panel === 'mine' && !at('log').value.trim()) {
        at('mine-answer').replaceChildren();
        plot('mine-plot', []);
        document.body.dataset.done = String(job.id);
        return;
    }
    if (panel === 'see') {
        const key = JSON.stringify([asked.system, asked.curve]);

        if (seen.key !== key)
            seen.points = {};
        seen.key = key;
        seen.size = 2 ** Number(value('size'));
        seen.factor = busFactor();
        if (seen.points[seen.size]) {
            showFigures(seen.points[seen.size]);
            showCurve();
        }
    }
    at(panel + '-answer').classList.add('busy');
    worker.postMessage(job);
}

function receive(data) {
    if (data.panel === 'start') {
        if (data.error)
            showError('The page cannot compute here: ' + data.error);
        else
            begin(data.catalogue);
        return;
    }
    if (!pending || data.id !== pending.id || data.panel !== panel)
        return;
    at(panel + '-answer').classList.remove('busy');
    if (data.error)
        showError(data.error);
    if (data.answer)
        showAnswer(pending.asked, data.answer);
    for (const point of data.points || [])
        seen.points[point.message_bytes] = point;
    if (data.points) {
        if (data.points.some(point => point.message_bytes === seen.size))
            showFigures(seen.points[seen.size]);
        showCurve();
    }
    if (data.done || data.error)
        document.body.dataset.done = String(data.id);
}

/* ---- the page ---- */

function showPanel() {
    for (const name of PANELS) {
        at(name).hidden = name !== panel;
        at('tab-' + name).setAttribute('aria-selected', String(name === panel));
        at('tab-' + name).tabIndex = name === panel ? 0 : -1;
    }
    at('size-text').textContent = bytes(Number(value('size')));
    for (const label of document.querySelectorAll('#axes .place, #axes .shard'))
        label.hidden = !label.classList.contains(value('kind'));
    at('model-label').hidden = at('model-label').hidden || value('by') !== 'model';
    at('messages-label').hidden = at('messages-label').hidden || value('by') !== 'messages';
}

function change() {
    showPanel();
    ask();
}

function fill(select, names, none) {
    at(select).replaceChildren(...(none ? [element('option', {value: ''}, none)] : []),
        ...names.map(name => element('option', {value: name}, name)));
}

/* A mesh is for its product of processes. */
function changeProcesses(from) {
    if (from === 'nodes' && value('nodes') && value('gpus'))
        setValue('np', String(Number(value('nodes')) * Number(value('gpus'))));
    if (from !== 'nodes')
        readNodes();
}

function begin(parts) {
    catalogue = parts;
    at('version').textContent = parts.version;
    fill('gpu', parts.gpus.map(row => row.gpu), 'other');
    fill('nic', parts.nics.map(row => row.nic), 'none, or other');
    at('systems').replaceChildren(...parts.systems.map(name => element('option', {value: name})));
    readAddress();
    readLine();
    change();
}

function takeLog(file) {
    const reader = new FileReader();

    reader.onload = () => {
        logName = file.name;
        at('log').value = reader.result;
        ask();
    };
    reader.onerror = () => showError(`${file.name}: cannot be read`);
    reader.readAsText(file);
}

function listen() {
    let soon = 0;
    const later = () => {
        clearTimeout(soon);
        soon = setTimeout(change, 150);
    };

    for (const name of ['gpu', 'gpus', 'nic', 'nics', 'taper'])
        at(name).addEventListener('input', () => {
            const nodes = value('nodes');

            writeLine();
            if (name === 'gpus' && nodes)
                changeProcesses('nodes');
            later();
        });
    at('line').addEventListener('input', () => { readLine(); later(); });
    at('nodes').addEventListener('input', () => { changeProcesses('nodes'); later(); });
    at('np').addEventListener('input', () => { changeProcesses('np'); later(); });
    at('size').addEventListener('input', change);
    for (const name of FIELDS.filter(name => !['line', 'np', 'size'].includes(name)))
        at(name).addEventListener('input', later);
    at('log').addEventListener('input', () => { logName = 'pasted.log'; later(); });
    at('file').addEventListener('change', () => { if (at('file').files[0]) takeLog(at('file').files[0]); });
    for (const form of document.forms)
        form.addEventListener('submit', event => event.preventDefault());
    for (const name of PANELS) {
        at('tab-' + name).addEventListener('click', () => { panel = name; change(); });
        at('tab-' + name).addEventListener('keydown', event => {
            const step = {ArrowRight: 1, ArrowLeft: PANELS.length - 1}[event.key];

            if (!step)
                return;
            panel = PANELS[(PANELS.indexOf(name) + step) % PANELS.length];
            change();
            at('tab-' + panel).focus();
        });
    }
    at('mine').addEventListener('dragover', event => { event.preventDefault(); at('mine').classList.add('over'); });
    at('mine').addEventListener('dragleave', () => at('mine').classList.remove('over'));
    at('mine').addEventListener('drop', event => {
        event.preventDefault();
        at('mine').classList.remove('over');
        if (event.dataTransfer.files[0])
            takeLog(event.dataTransfer.files[0]);
    });
    window.addEventListener('hashchange', () => { readAddress(); readLine(); change(); });
    window.addEventListener('resize', () => { if (panel === 'see') showCurve(); });
}

fill('collective', Object.keys(COLLECTIVES));
fill('dtype', DTYPES);
fill('job-dtype', DTYPES);
readAddress();
showPanel();
listen();
startWorker();
