/* Random questions through the page's library and through the command line: numbers equal but for the last digits that a
 * libm may choose (its functions are not rounded alike everywhere), and texts equal to the digit.
 * usage: test_answers.js library.js worker.js hiersearch LOGS COUNT [SEED] */
'use strict';
const {execFile} = require('child_process');
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const [, , libraryFile, workerFile, program, logs, count, seed = '1'] = process.argv;
const CLOSE = 1e-12;

/* Splitmix32, so that a seed names its questions. */
let state = Number(seed) >>> 0;
function below(most) {
    state = (state + 0x9e3779b9) >>> 0;
    let z = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return ((z ^ (z >>> 15)) >>> 0) % most;
}
const pick = list => list[below(list.length)];

function parts({gpus, nics}) {
    const perNode = pick([1, 2, 4, 8]);

    return `${perNode}x${pick(gpus).gpu}, ${pick([1, 2, 4, 8])}x${pick(nics).nic}` + pick(['', ', 16', ', 32:2', ', 8:3']);
}

const LOGS = fs.readdirSync(logs).filter(name => name.endsWith('.txt')).sort();

function question(catalogue) {
    const system = below(3) ? parts(catalogue) : pick(catalogue.systems);
    const kind = pick(['predict', 'predict', 'predict', 'predict', 'predict', 'place', 'shard', 'check']);
    const dtype = pick(['float32', 'bfloat16']);
    const size = `${2 ** (3 + below(31))}B`;

    if (kind === 'check') {
        const name = pick(LOGS);

        return {kind, system: parts(catalogue), options: {}, files: [{name, text: fs.readFileSync(path.join(logs, name), 'latin1')}]};
    }
    if (kind === 'place')
        return {kind, system, options: {mesh: `tp=${pick([2, 4, 8])},pp=${pick([1, 2])},dp=${pick([2, 4, 8])}`,
            messages: `tp:allreduce:${size}*${1 + below(99)},dp:reduce-scatter:${2 ** below(30)}B`, dtype}};
    if (kind === 'shard')
        return {kind, system, options: {np: String(2 ** (1 + below(6))), parameters: pick(['125e6', '7e9', '70e9']), units: pick(['1', '32']), dtype}};
    const collective = pick(['allreduce', 'reduce-scatter', 'allgather', 'all-to-all']);
    if (below(4) === 0)
        return {kind, system, options: {np: '32', mesh: pick(['tp=4,dp=8', 'tp=8,dp=4', 'a=2,b=4,c=4']), group: '', size, collective, dtype}};
    return {kind, system, options: {np: String(2 + below(63)), size, collective, dtype}};
}

function line({kind, system, options, files}, format) {
    return [kind, system, ...(files || []).map(file => file.name),
        ...Object.entries(options).flatMap(([name, value]) => ['--' + name, value]), ...(format === 'json' ? ['--format', 'json'] : [])];
}

/* Where two documents differ; '' nowhere. */
function difference(a, b, where = '') {
    if (typeof a === 'number' && typeof b === 'number')
        return Math.abs(a - b) <= CLOSE * Math.max(Math.abs(a), Math.abs(b)) ? '' : `${where}: ${a}, ${b}`;
    if (typeof a !== 'object' || typeof b !== 'object' || !a || !b)
        return a === b ? '' : `${where}: ${a}, ${b}`;
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
        const found = ['command', 'created', 'git'].includes(key) ? '' : difference(a[key], b[key], `${where}/${key}`);

        if (found)
            return found;
    }
    return '';
}

const run = (words, env) => new Promise(resolve => execFile(program, words, {cwd: logs, env, maxBuffer: 1 << 26},
    (error, stdout, stderr) => resolve({status: error ? error.code : 0, stdout, stderr})));

async function main() {
    globalThis.hiersearch = require(path.resolve(libraryFile));
    vm.runInThisContext(fs.readFileSync(workerFile, 'utf8'));
    const library = await hiersearchStart(), catalogue = library.catalogue();
    const tally = {}, wrong = [], took = [];
    const compare = async (asked, format) => {
        const words = line(asked, format), other = run(words, process.env);
        let own, notes = [], failed = '';

        const begin = performance.now();
        try {
            ({[format]: own, notes} = library.ask({...asked, formats: [format]}));
            took.push({ms: performance.now() - begin, words});
        } catch (error) {
            failed = error.message;
        }
        const said = await other;
        const gave = said.status === 0 || said.stdout ? 'answered' : 'refused';
        const unsolved = failed.endsWith('there is no solver here') ||
            (said.stdout.includes('trees packed on the links') && notes.some(note => note.includes('trees packed on them')));
        const what = unsolved ? 'without a solver' : `${asked.kind} ${gave}`;
        let found = '';

        tally[what] = (tally[what] || 0) + 1;
        if (gave === 'refused')
            found = said.stderr.includes(failed) && failed ? '' : `${said.stderr.trim()}\n# here: ${failed || 'answered'}`;
        else if (failed && !unsolved)
            found = 'here: ' + failed;
        else if (unsolved)
            found = '';
        else if (format === 'json')
            found = difference(JSON.parse(own), JSON.parse(said.stdout));
        else if (own !== said.stdout)
            found = own.split('\n').map((text, i) => [text, said.stdout.split('\n')[i]]).filter(([a, b]) => a !== b).map(pair => pair.join('\n# there: '))[0];
        if (found)
            wrong.push(`hiersearch ${words.map(word => `'${word}'`).join(' ')}\n# ${found}`);
    };
    const questions = Array.from({length: Number(count)}, () => question(catalogue));

    questions.forEach(asked => { if (asked.options.group === '') asked.options.group = pick(asked.options.mesh.split(',')).split('=')[0]; });
    for (let i = 0; i < questions.length; i++)
        await compare(questions[i], i % 2 ? 'text' : 'json');
    console.log(wrong.length ? 'not ok 1 - the page answers as the command line' :
        `ok 1 - the page answers ${questions.length} random questions as the command line`);
    console.log('# ' + Object.entries(tally).map(([name, times]) => `${times} ${name}`).join(', '));
    took.sort((a, b) => a.ms - b.ms);
    const longest = took.at(-1);
    if (longest)
        console.log(`# the page: ${(fs.statSync(libraryFile).size / 1e6).toFixed(2)} MB of library; an answer takes ` +
            `${took[took.length >> 1].ms.toFixed(0)} ms in the median, ${longest.ms.toFixed(0)} ms at most (${longest.words.join(' ')})`);
    for (const one of wrong.slice(0, 10))
        console.log('# ' + one);
    const answered = Object.entries(tally).filter(([name]) => name.endsWith('answered')).reduce((all, [, times]) => all + times, 0);
    console.log(`${answered > questions.length / 2 ? 'ok' : 'not ok'} 2 - most of them have an answer`);
    console.log('1..2');
    process.exitCode = wrong.length || answered <= questions.length / 2 ? 1 : 0;
}

main().catch(error => {
    console.log('not ok 1 - the page answers as the command line\n# ' + String(error.stack).replace(/\n/g, '\n# '));
    process.exitCode = 1;
});
