/* The library, hiersearch.h, in a worker (page.html) or in node (tests/page): questions in, answers out. */
'use strict';

/* Calls of the library. Each gets an error handle as its last argument; where a place for a result is its first one, what
 * is put there comes back. */
function hiersearchCalls(module) {
    const number = 'number';
    const place = module._malloc(8);
    const error = module.ccall('hiersearch_error_new', number, [], []);
    const types = values => values.map(value => (typeof value === 'string' ? 'string' : number));
    const call = (name, ...values) => module.ccall(name, number, types(values), values);
    const text = pointer => (pointer ? module.UTF8ToString(pointer) : '');
    const check = (name, ...values) => {
        if (call(name, ...values, error) !== 0)
            throw new Error(text(call('hiersearch_error_text', error)));
    };
    const make = (name, ...values) => {
        check(name, place, ...values);
        return module.HEAPU32[place >> 2];
    };
    const makeText = (name, ...values) => {
        const pointer = make(name, ...values);
        const made = text(pointer);
        call('hiersearch_text_free', pointer);
        return made;
    };
    return {call, check, make, makeText, text};
}

/* hiersearch_system_find hiersearch_system_free hiersearch_system_names hiersearch_question_new hiersearch_question_set
   hiersearch_question_free hiersearch_ask hiersearch_answer_text hiersearch_answer_notes hiersearch_answer_free
   hiersearch_inputs_new hiersearch_inputs_add_text hiersearch_inputs_free hiersearch_system_notes hiersearch_inputs_notes */
