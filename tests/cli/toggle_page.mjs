// Opens a page of universal-gemm in Chromium, presses its buttons and says on stdout what is then to be seen, as JSON.
// Usage: node toggle_page.mjs CHROMIUM PROFILE_FOLDER PAGE. Spoken to by the DevTools protocol over a pipe.
import {spawn} from 'node:child_process';

const [chromium, profile, page] = process.argv.slice(2);
const browser = spawn(chromium, ['--headless', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe',
  '--host-resolver-rules=MAP * ~NOTFOUND', '--window-size=1280,900', `--user-data-dir=${profile}`],
{stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});

const waiting = new Map();
let last = 0;
let buffer = '';
browser.stdio[4].setEncoding('utf8').on('data', (data) => {
  const messages = (buffer + data).split('\0');
  buffer = messages.pop();
  for (const message of messages.map((text) => JSON.parse(text))) {
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  }
});
async function call(method, params = {}, sessionId = undefined) {
  const id = ++last;
  const answer = new Promise((resolve) => { waiting.set(id, resolve); });
  browser.stdio[3].write(`${JSON.stringify({id, method, params, sessionId})}\0`);
  const {result, error} = await answer;
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** What the page says, and the bars of each figure that is there. */
const seen = `JSON.stringify({
  status: document.querySelector('#toggles [role=status]')?.textContent,
  pressed: [...document.querySelectorAll('#toggles [aria-pressed=true]')].map((button) => button.textContent),
  address: location.hash,
  bars: Object.fromEntries([...document.querySelectorAll('#figures details')].filter(({hidden}) => !hidden)
    .map(({id}) => [id, document.getElementById(id).querySelectorAll('.mark-rect.role-mark path').length])),
  wrong: document.getElementById('figures')?.textContent.includes('could not be drawn') ?? false})`;

async function look(url, presses) {
  const {targetId} = await call('Target.createTarget', {url});
  const {sessionId} = await call('Target.attachToTarget', {targetId, flatten: true});
  const evaluate = async (expression) => {
    const {result, exceptionDetails} = await call('Runtime.evaluate', {expression, awaitPromise: true}, sessionId);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  /** Until two looks, a while apart, are the same: drawing is over. */
  const settled = async () => {
    for (let before = '', now = null; ; before = now) {
      await new Promise((resolve) => { setTimeout(resolve, 400); });
      now = await evaluate(seen);
      if (now === before && JSON.parse(now).status) return JSON.parse(now);
    }
  };
  const views = [await settled()];
  for (const [axis, text] of presses) {
    await evaluate(`{
      const button = [...document.querySelectorAll('#toggles [role=group][aria-label="${axis}"] button')]
        .find(({textContent}) => textContent === '${text}');
      button.focus();
      if (document.activeElement !== button) throw new Error('no focus on ${axis} ${text}');
    }`);
    for (const type of ['keyDown', 'keyUp']) {
      await call('Input.dispatchKeyEvent', {type, key: 'Enter', code: 'Enter', text: '\r', windowsVirtualKeyCode: 13}, sessionId);
    }
    views.push(await settled());
  }
  return views;
}

try {
  const [first, hidden, back, none] = await look(page, [
    ['method', 'stationary_c'], ['method', 'stationary_c'], ['group', 'square']]);
  const [linked] = await look(page + none.address, []);
  const [unknown] = await look(`${page}#show:method=nobody,replication=2`, []);
  console.log(JSON.stringify({first, hidden, back, none, linked, unknown}));
} finally {
  browser.kill('SIGKILL');
}
