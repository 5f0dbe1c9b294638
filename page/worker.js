/* The library (hiersearch.h) in a worker of the page, or in node (tests/page): questions in, answers out. */
'use strict';

/* What of hiersearch.h is called (page.mk exports what is named here), with texts and handles in the place of pointers. */
function hiersearchLibrary(module) {
    const place = module._malloc(4);
    const error = module._hiersearch_error_new();
    const text = pointer => (pointer ? module.UTF8ToString(pointer) : '');
    /* Texts of any length: not on the stack. */
    const given = value => {
        const bytes = module.lengthBytesUTF8(value) + 1, pointer = module._malloc(bytes);

        if (!pointer)
            throw new Error('out of memory');
        module.stringToUTF8(value, pointer, bytes);
        return pointer;
    };
    const check = (call, ...values) => {
        const pointers = [];
        let status;

        values = values.map(value => {
            if (typeof value !== 'string')
                return value;
            pointers.push(given(value));
            return pointers[pointers.length - 1];
        });
        status = call(...values, error);
        pointers.forEach(module._free);
        if (status !== 0)
            throw new Error(text(module._hiersearch_error_text(error)));
    };
    const make = (call, ...values) => {
        check(call, place, ...values);
        return module.HEAPU32[place >> 2];
    };
    const makeText = (call, ...values) => {
        const pointer = make(call, ...values), made = text(pointer);

        module._hiersearch_text_free(pointer);
        return made;
    };
    const lines = notes => notes.split('\n').filter(line => line);
    const question = (kind, options) => {
        const handle = make(module._hiersearch_question_new, kind);

        try {
            for (const name in options)
                check(module._hiersearch_question_set, handle, name, options[name]);
        } catch (failure) {
            module._hiersearch_question_free(handle);
            throw failure;
        }
        return handle;
    };
    const inputs = files => {
        const handle = files ? make(module._hiersearch_inputs_new) : 0;

        try {
            for (const file of files || [])
                check(module._hiersearch_inputs_add_text, handle, file.name, file.text);
        } catch (failure) {
            module._hiersearch_inputs_free(handle);
            throw failure;
        }
        return handle;
    };
    /* The last machine is kept: most changes are of the question. One with fits is not: what it draws depends on what it was
     * asked before. */
    const machine = {text: '', handle: 0, notes: []};
    const system = line => {
        if (line === machine.text)
            return machine.handle;
        module._hiersearch_system_free(machine.handle);
        Object.assign(machine, {text: '', handle: 0, notes: []});
        if (!line)
            return 0;
        machine.handle = make(module._hiersearch_system_find, line);
        machine.notes = lines(text(module._hiersearch_system_notes(machine.handle)));
        const json = makeText(module._hiersearch_system_json, machine.handle);
        if (json.includes('"fabric": "links"'))
            machine.notes.push('note: the links of this machine are a graph: trees packed on them, by a linear program, are ' +
                'not in this page; the command line has them');
        if (!json.includes('"fits"'))
            machine.text = line;
        return machine.handle;
    };

    return {
        /* An answer in each of some formats (options of one format are the question's own), and what was said beside it. */
        ask({kind, system: line, options, files, formats}) {
            const handles = {question: 0, inputs: 0, answer: 0}, answer = {};

            try {
                const of = system(line || '');

                handles.question = question(kind, options);
                handles.inputs = inputs(files);
                handles.answer = make(module._hiersearch_ask, handles.question, of, handles.inputs);
                for (const format of formats)
                    answer[format] = makeText(module._hiersearch_answer_text, 0, handles.answer, format);
                answer.notes = [
                    ...(of ? machine.notes : []),
                    ...lines(text(module._hiersearch_inputs_notes(handles.inputs))),
                    ...lines(text(module._hiersearch_answer_notes(handles.answer))),
                ];
                return answer;
            } finally {
                module._hiersearch_answer_free(handles.answer);
                module._hiersearch_inputs_free(handles.inputs);
                module._hiersearch_question_free(handles.question);
            }
        },
        /* The result of a predict of one size, without hints: for curves. */
        point({system: line, options}, size) {
            const of = system(line), asked = question('predict', {...options, size});
            let result = 0;

            try {
                result = make(module._hiersearch_predict, of, asked);
                return JSON.parse(makeText(module._hiersearch_result_json, result)).results[0];
            } finally {
                module._hiersearch_result_free(result);
                module._hiersearch_question_free(asked);
            }
        },
        catalogue() {
            const parts = this.ask({kind: 'systems', options: {parts: 'true'}, formats: ['json']});

            return {
                ...JSON.parse(parts.json),
                systems: lines(makeText(module._hiersearch_system_names)),
                version: text(module._hiersearch_version()),
            };
        },
    };
}

/* Shipped systems lie in the file system that is linked in. */
function hiersearchStart() {
    return hiersearch({
        preRun: [module => { module.ENV.HIERSEARCH_CONFIGS = '/configs'; }],
    }).then(hiersearchLibrary);
}

/* ---- in the worker: of each panel's questions the newest counts ---- */

/* Sizes of a curve, 8 bytes to 8 GiB, in the order in which they make one soonest: each pass between those before. */
const FIRST = 3, LAST = 33;
const SIZES = [8, 4, 2, 1].flatMap((step, pass) => {
    const sizes = [];

    for (let at = FIRST; at <= LAST; at++)
        if ((at - FIRST) % step === 0 && (pass === 0 || (at - FIRST) % (2 * step) !== 0))
            sizes.push(at);
    return sizes;
});

function serve(library) {
    const newest = {}, queue = [];
    const curve = {key: '', points: {}};
    const turn = new MessageChannel();
    const isOld = job => newest[job.panel] !== job.id;
    const send = (job, part) => postMessage({panel: job.panel, id: job.id, ...part});

    const point = (job, size) => {
        curve.points[size] = curve.points[size] || library.point({system: job.system, options: job.curve}, `${2 ** size}B`);
        return curve.points[size];
    };

    /* The figures of one size come first, then the words about it, then the curve. */
    function* answer(job) {
        if (job.panel === 'start') {
            send(job, {catalogue: library.catalogue()});
            return;
        }
        if (job.curve) {
            const key = JSON.stringify([job.system, job.curve]);

            if (key !== curve.key) {
                curve.key = key;
                curve.points = {};
            }
            send(job, {points: [point(job, Math.log2(job.bytes)), ...Object.values(curve.points)]});
            yield;
        }
        send(job, {answer: library.ask(job)});
        for (const size of job.curve ? SIZES : []) {
            if (curve.points[size])
                continue;
            yield;
            send(job, {points: [point(job, size)]});
        }
        send(job, {done: true});
    }
    turn.port1.onmessage = () => {
        while (queue.length > 0 && isOld(queue[0].job))
            queue.shift();
        if (queue.length === 0)
            return;
        const {job, steps} = queue[0];
        try {
            if (steps.next().done)
                queue.shift();
        } catch (failure) {
            queue.shift();
            send(job, {error: failure instanceof Error ? failure.message : String(failure)});
        }
        turn.port2.postMessage(0);
    };
    return job => {
        newest[job.panel] = job.id;
        queue.push({job, steps: answer(job)});
        turn.port2.postMessage(0);
    };
}

if (typeof WorkerGlobalScope !== 'undefined') {
    const early = [];

    onmessage = event => early.push(event.data);
    hiersearchStart().then(library => {
        const take = serve(library);

        onmessage = event => take(event.data);
        early.forEach(take);
    }, failure => postMessage({panel: 'start', error: String(failure)}));
}
