// Accounts, and what a test puts on a site through the API before it looks.

import assert from "node:assert/strict";

const password = "correct horse battery";

// signUp makes an account and signs in. A visitor who is given the account is
// signed in, too.
export async function signUp(site, name) {
  await call(site, "POST", "/users", { name, password });
  const { token } = await call(site, "POST", "/sessions", { name, password });
  return new Account(site, name, token);
}

class Account {
  password = password;

  constructor(site, name, token) {
    Object.assign(this, { site, name, token });
  }

  async createChannel(name, description = "") {
    await call(this.site, "POST", "/channels", { name, description }, this.token);
    return `/channels/${encodeURIComponent(name)}`;
  }

  // post returns the path of the post's page.
  async post(channel, text, title = "") {
    const path = `/channels/${encodeURIComponent(channel)}/blogs`;
    const { id } = await call(this.site, "POST", path, { title, text }, this.token);
    return `${path}/${id}`;
  }

  async unsubscribe(channel) {
    const response = await send(this.site, "DELETE", `/subscriptions/${encodeURIComponent(channel)}`, undefined, this.token);
    assert.equal(response.status, 204);
  }

  // deleteChannel returns the path of the page that shows the progress.
  async deleteChannel(name) {
    const path = `/channels/${encodeURIComponent(name)}`;
    const response = await send(this.site, "DELETE", path, undefined, this.token);
    assert.equal(response.status, 202);
    return response.headers.get("Location").replace("/api/v1", "");
  }
}

async function call(site, method, path, body, token) {
  const response = await send(site, method, path, body, token);
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

function send(site, method, path, body, token) {
  const headers = { "Content-Type": "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  return fetch(`${site}/api/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
}
