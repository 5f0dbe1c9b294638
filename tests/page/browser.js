/* A page in headless Chromium, by the DevTools protocol over a pipe: pages are opened, asked by JavaScript, and pictured. */
'use strict';
const {spawn} = require('child_process');
const fs = require('fs');

async function browserStart(program, folder) {
    const browser = spawn(program, ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars',
        '--user-data-dir=' + folder, '--remote-debugging-pipe'], {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    const waiting = new Map(), said = [];
    let last = 0, rest = '', session;
    const gone = new Promise((_, reject) => {
        browser.on('error', reject);
        browser.on('exit', status => reject(new Error('Chromium ended with ' + status)));
    });

    gone.catch(() => {});
    browser.stdio[3].on('error', () => {});
    browser.stdio[4].on('data', data => {
        const messages = (rest + data).split('\0');

        rest = messages.pop();
        for (const message of messages.map(text => JSON.parse(text))) {
            if (message.method === 'Runtime.exceptionThrown')
                said.push(message.params.exceptionDetails.exception?.description || message.params.exceptionDetails.text);
            if (message.method === 'Log.entryAdded' && message.params.entry.level === 'error')
                said.push(message.params.entry.text);
            if (waiting.has(message.id))
                waiting.get(message.id)(message);
            waiting.delete(message.id);
        }
    });
    const send = async (method, params = {}) => {
        const id = ++last, reply = new Promise(resolve => waiting.set(id, resolve));

        browser.stdio[3].write(JSON.stringify({id, method, params, ...(session ? {sessionId: session} : {})}) + '\0');
        const {result, error} = await Promise.race([reply, gone]);
        if (error)
            throw new Error(method + ': ' + error.message);
        return result;
    };
    const {targetId} = await send('Target.createTarget', {url: 'about:blank'});
    session = (await send('Target.attachToTarget', {targetId, flatten: true})).sessionId;
    for (const domain of ['Page', 'Runtime', 'Log'])
        await send(domain + '.enable');
    return {
        said, /* errors of the page so far */
        send,
        async open(url) {
            await send('Page.navigate', {url: 'about:blank'});
            await send('Page.navigate', {url});
        },
        async evaluate(expression) {
            const {result, exceptionDetails} = await send('Runtime.evaluate', {expression, returnByValue: true, awaitPromise: true});

            if (exceptionDetails)
                throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
            return result.value;
        },
        size: (width, height) => send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: 1, mobile: width < 600}),
        async picture(path) {
            const {data} = await send('Page.captureScreenshot', {format: 'png', captureBeyondViewport: true});

            fs.writeFileSync(path, Buffer.from(data, 'base64'));
        },
        async end() {
            const ended = new Promise(resolve => browser.on('exit', resolve));

            browser.kill('SIGKILL');
            await ended;
        },
    };
}

module.exports = {browserStart};
