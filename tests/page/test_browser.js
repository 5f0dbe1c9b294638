/* The page in headless Chromium: pickers, a log, a link, a phone, bad and hostile text, the keyboard. Prints TAP.
 * usage: test_browser.js hiersearch.html hiersearch LOGS [PICTURES] */
'use strict';
const {execFileSync} = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const {pathToFileURL} = require('url');
const {browserStart} = require('./browser.js');

const [, , page, program, logs, pictures] = process.argv;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'page-'));
const sleep = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));
/* The page breaks no lines itself, so neither does the command line. */
const cli = (...words) => execFileSync(program, words, {cwd: logs, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], env: {...process.env, COLUMNS: '400'}});
let number = 0, failed = false, browser;

function check(sentence, good, found) {
    console.log(`${good ? 'ok' : 'not ok'} ${++number} - ${sentence}`);
    if (!good)
        console.log('# found: ' + String(found).slice(0, 2000).replace(/\n/g, '\n# '));
    failed ||= !good;
}

/* Until the page has what was asked; answers have no deadline of their own, the suite has. */
async function until(expression) {
    for (;;) {
        const value = await browser.evaluate(`(() => { try { return ${expression}; } catch { return null; } })()`);

        if (value)
            return value;
        await sleep(50);
    }
}
const done = () => until('document.body.dataset.done === String(asking) && asking > 0');
/* Fields as a person changes them. */
const set = async (...fields) => {
    await browser.evaluate(`(() => { const before = asking; for (const [name, text] of ${JSON.stringify(fields)}) {
        at(name).value = text; at(name).dispatchEvent(new Event('input', {bubbles: true})); } window.before = before; })()`);
    await until('asking > window.before');
    await done();
};
const text = id => browser.evaluate(`at(${JSON.stringify(id)}).innerText`);
const open = async hash => {
    await browser.open(pathToFileURL(page) + '#' + hash);
    await until('document.body && typeof asking === "number" && asking > 0');
    await done();
};
/* Lines without their gaps: tables stand otherwise in a page. */
const plain = lines => lines.split('\n').map(line => line.trim().replace(/\s+/g, ' ')).filter(line => line);
const missing = (shown, told) => plain(told).filter(line => !plain(shown).includes(line)).join('\n');

async function picture(name) {
    if (!pictures)
        return;
    const {width, height} = await browser.evaluate('({width: innerWidth, height: document.documentElement.scrollHeight})');

    await browser.size(width, height);
    await sleep(200);
    await browser.picture(path.join(pictures, name + '.png'));
}

async function see() {
    await browser.size(1280, 900);
    await open('');
    let lacks = missing(await text('see-answer'), cli('predict', '8xH100, 8xNDR400, 32:2', '--np', '128', '--size', '1GiB'));
    check('what is seen first is what the command line says', !lacks, lacks);
    const figures = await text('figures');
    check('its figures are those of the command line', ['6.416 ms', '332.12 GB/s', '90 % range 5.2 to 8.4 ms', '5.245 ms']
        .every(figure => figures.includes(figure) && cli('predict', '8xH100, 8xNDR400, 32:2', '--np', '128', '--size', '1GiB', '--details')
            .includes(figure.replace(' GB/s', ''))), figures);
    const curve = await browser.evaluate('[Object.keys(seen.points).length, document.querySelectorAll("#see-plot path").length, at("see-legend").innerText]');
    check('the plot has 31 sizes, four curves and their names', curve[0] === 31 && curve[1] === 4 && curve[2].includes("NCCL's default"), curve);
    await picture('see-1280');

    await set(['gpu', 'A100'], ['gpus', '4'], ['nic', 'HDR200'], ['nics', '4'], ['taper', ''], ['nodes', '8'], ['collective', 'allgather'], ['size', '27']);
    const line = await browser.evaluate('[value("line"), value("np")]');
    check('pickers write the line of text and the processes', String(line) === '4xA100, 4xHDR200,32', line);
    lacks = missing(await text('see-answer'), cli('predict', '4xA100, 4xHDR200', '--np', '32', '--collective', 'allgather', '--size', '128MiB'));
    check('pickers ask what the command line is asked', !lacks, lacks);

    const link = await browser.evaluate('location.hash.slice(1)'), answer = await text('see-answer');
    await open(link);
    check('a link brings the same answer', (await text('see-answer')) === answer && await browser.evaluate('value("gpu")') === 'A100', await text('see-answer'));

    await set(['line', 'abci'], ['np', '64'], ['mesh', 'tp=4,dp=16'], ['group', 'dp'], ['collective', 'allreduce'], ['size', '24']);
    lacks = missing(await text('see-answer'), cli('predict', 'abci', '--np', '64', '--mesh', 'tp=4,dp=16', '--group', 'dp', '--size', '16MiB'));
    check('a shipped system, and a group of a mesh', !lacks, lacks);
    await set(['line', 'perlmutter'], ['np', '64'], ['mesh', ''], ['group', ''], ['collective', 'allgather'], ['size', '24']);
    const told = cli('predict', 'perlmutter', '--np', '64', '--collective', 'allgather', '--size', '16MiB', '--details'), shown = await text('figures');
    check('figures in two units are those of the command line', ['1.073 ms', '850 to 1400 us', '15.39', '939.3 us', '17.58', '168.8 us'].every(figure =>
        shown.includes(figure) && told.includes(figure.replace(/ us$/, ''))), shown + told);
    await set(['line', '8xH100, 8xNDR40']);
    const error = await browser.evaluate('document.querySelector("#see-answer .error").innerText');
    check('a line that is none gets the error of the command line, and no curve', error.includes('NDR40') &&
        await browser.evaluate('at("see-plot").children.length === 0 && at("figures").children.length === 0'), error);
    await set(['line', 'a6000-bridged'], ['mesh', ''], ['group', ''], ['np', '8']);
    check('of a graph of links the page says what it lacks', (await text('see-answer')).includes('trees packed on them'), await text('see-answer'));
}

async function mine() {
    const log = fs.readFileSync(path.join(logs, 'nodes.txt'), 'utf8');

    await open('panel=mine&line=' + encodeURIComponent('8xH100, 8xNDR400'));
    await set(['log', log]);
    let lacks = missing((await text('mine-answer')).replace(/pasted\.log/g, 'nodes.txt'), cliFault('check', '8xH100, 8xNDR400', 'nodes.txt'));
    check('a pasted log gets the verdict of check', !lacks, lacks);
    check('its points are on the plot, and the low one', String(await browser.evaluate(
        '[document.querySelectorAll("#mine-plot .measured").length, document.querySelectorAll("#mine-plot .measured.low").length]')) === '9,1');
    await picture('mine-1280');

    const before = await text('mine-answer'), noise = 'node0:1000:1042 [0] NCCL INFO Channel 00/16 : 0 7 6 5 4 3 2 1 9 10 11 12 13 14 15 8\n';
    await set(['log', noise.repeat(5e6 / noise.length) + log]);
    check('a log of 5 MB is read', await text('mine-answer') === before, await text('mine-answer'));
    const hostile = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</' + 'script>';
    await browser.evaluate(`takeLog(new File([${JSON.stringify(log.replace('# Rank  0', '# ' + hostile))} + '\\n' + ${JSON.stringify(hostile)}], ${JSON.stringify(hostile + '.txt')}))`);
    await until(`at('mine-answer').innerText.includes('<img src=x')`);
    check('a hostile name of a file and hostile lines are text', !await browser.evaluate('window.attacked') &&
        await browser.evaluate('document.querySelectorAll("img, main script").length') === 0);
    await set(['log', hostile]);
    check('a text that is no log gets an error, as text', (await browser.evaluate('document.querySelector("#mine-answer .error").children.length')) === 0);
    await open('panel=see&line=' + encodeURIComponent(hostile) + '&np=' + encodeURIComponent(hostile));
    check('a hostile link is text', !await browser.evaluate('window.attacked') && await browser.evaluate('document.querySelectorAll("img").length') === 0);
}

/* A check that finds a fault has status 1. */
function cliFault(...words) {
    try {
        return cli(...words);
    } catch (error) {
        return error.stdout;
    }
}

async function axes() {
    await browser.size(390, 800);
    await open('panel=axes&line=' + encodeURIComponent('8xH100, 8xNDR400, 32:2'));
    const model = 'num-layers=80,hidden-size=8192,seq-length=4096,micro-batch-size=1,global-batch-size=512';
    let lacks = missing(await text('axes-answer'), cli('place', '8xH100, 8xNDR400, 32:2', '--mesh', 'tp=8,pp=4,dp=16', '--model', model,
        '--dtype', 'bfloat16', '--width', '400'));
    check('place answers as the command line', !lacks, lacks);
    await set(['kind', 'shard']);
    lacks = missing(await text('axes-answer'), cli('shard', '8xH100, 8xNDR400, 32:2', '--np', '512', '--parameters', '70e9', '--dtype', 'bfloat16',
        '--units', '64', '--width', '400'));
    check('shard answers as the command line', !lacks, lacks);
    await picture('axes-390');
    for (const panel of ['see', 'mine', 'axes']) {
        await browser.evaluate(`at('tab-${panel}').click()`);
        await sleep(200);
        check(`on a phone of 390 pixels ${panel} does not scroll sideways`, await browser.evaluate('document.documentElement.scrollWidth') <= 390);
    }
    await browser.evaluate(`at('tab-see').focus(); at('tab-see').click()`);
    await done();
    await browser.send('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value: 'dark'}]});
    await picture('see-390-dark');
    await browser.send('Input.dispatchKeyEvent', {type: 'keyDown', key: 'ArrowRight', code: 'ArrowRight', windowsVirtualKeyCode: 39});
    check('arrow keys change the panel, and the focus goes with it', await browser.evaluate('panel + document.activeElement.id') === 'minetab-mine');
    const unnamed = await browser.evaluate(`[...document.querySelectorAll('input, select, textarea, button')].filter(one =>
        !one.labels?.length && !one.getAttribute('aria-label') && !one.textContent.trim()).map(one => one.id).join()`);
    check('every field has a name', unnamed === '', unnamed);
}

async function main() {
    browser = await browserStart(process.env.CHROMIUM || 'chromium', folder);
    try {
        await see();
        await mine();
        await axes();
        check('nothing was reported as an error by the browser', browser.said.length === 0, browser.said.join('\n'));
    } finally {
        await browser.end();
        fs.rmSync(folder, {recursive: true, force: true, maxRetries: 5, retryDelay: 200});
    }
    console.log('1..' + number);
    process.exitCode = failed ? 1 : 0;
}

main().catch(error => {
    console.log(`not ok ${number + 1} - the page is tested to the end\n# ` + String(error.stack).replace(/\n/g, '\n# '));
    process.exitCode = 1;
});
