// Accounts, and what a test puts on a site through the API before it looks.

import assert from "node:assert/strict";

const password = "correct horse battery";

// signUp makes an account and signs in. A visitor who is given the account is
// signed in, too.
export async function signUp(site, name) {
  await call(site, "POST", "/users", { name, password });
  return signIn(site, name);
}

export async function signIn(site, name) {
  const { token } = await call(site, "POST", "/sessions", { name, password });
  return new Account(site, name, token);
}

class Account {
  password = password;

  constructor(site, name, token) {
    Object.assign(this, { site, name, token });
  }

  // ask returns the API's response, whatever its status.
  ask(path) {
    return send(this.site, "GET", path, undefined, this.token);
  }

  get(path) {
    return call(this.site, "GET", path, undefined, this.token);
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

  // reply replies to the post with that path, and returns the reply's path.
  async reply(post, text) {
    const { id } = await call(this.site, "POST", `${post}/replies`, { text }, this.token);
    return `${post}/replies/${id}`;
  }

  // remove deletes what has that path.
  async remove(path) {
    const response = await send(this.site, "DELETE", path, undefined, this.token);
    assert.equal(response.status, 204);
  }

  // texts are what the channel's posts say, the newest first.
  async texts(channel) {
    const { items } = await this.get(`/channels/${encodeURIComponent(channel)}/blogs`);
    return items.map(({ text }) => text);
  }

  // endSessions ends all sessions of the account, as time does. They stay in the
  // browsers.
  async endSessions() {
    const response = await send(this.site, "DELETE", "/sessions", undefined, this.token);
    assert.equal(response.status, 204);
    const { token } = await call(this.site, "POST", "/sessions", { name: this.name, password });
    this.token = token;
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

  // deleteChannelWhole waits until nothing of the channel is left.
  async deleteChannelWhole(name) {
    const path = await this.deleteChannel(name);
    const before = Date.now();
    for (;;) {
      const { state } = await this.get(path);
      if (state === "done") return;
      assert.ok(Date.now() - before < 15_000, `the deletion is ${state}`);
    }
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
