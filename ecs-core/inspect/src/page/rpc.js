// Calls to the program: JSON-RPC in batches, with the token of the address.

const fromAddress = new URLSearchParams(location.hash.slice(1)).get('t');
if (fromAddress) {
  sessionStorage.token = fromAddress;
  // The token leaves the address bar, so that a copied address does not have it.
  history.replaceState(null, '', location.pathname + location.search);
}

let lastId = 0;

/** Sends calls `[method, params]` together, and returns their responses in the same order: `{result}` or `{error}`. */
export async function batch(calls) {
  const body = calls.map(([method, params]) => ({ jsonrpc: '2.0', id: ++lastId, method, params: params ?? {} }));
  const headers = { 'Content-Type': 'application/json' };
  if (sessionStorage.token) headers.Authorization = 'Bearer ' + sessionStorage.token;
  const answer = await fetch('/rpc', { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
  const byId = new Map((await answer.json()).map((one) => [one.id, one]));
  return body.map((one) => byId.get(one.id) ?? { error: { message: 'no answer' } });
}

/** Calls a method, and returns its result, or throws its error with `data`. */
export async function call(method, params) {
  const [{ result, error }] = await batch([[method, params]]);
  if (error) throw Object.assign(new Error(error.message), { data: error.data, code: error.code });
  return result;
}
