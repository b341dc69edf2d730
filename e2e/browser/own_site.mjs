// A site of one test, which may kill it and start it again at the same address.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

// ownSite starts a role of the program on an embedded store of its own.
export async function ownSite(...args) {
  const site = new OwnSite(await mkdtemp(join(tmpdir(), "site-")));
  await site.start(...args);
  return site;
}

class OwnSite {
  listen = "127.0.0.1:0";

  constructor(data) {
    this.data = data;
  }

  // start starts the role, or the last one again, and waits until it accepts requests.
  async start(...args) {
    if (args.length > 0) this.args = args;
    const always = ["--data", this.data, "--listen", this.listen, "--log-level", "warn"];
    const [role, ...others] = this.args;
    // Without a time to undo, so that a worker has something to do immediately, unless the test has one.
    this.process = spawn(process.env.PROGRAM, [role, "--undo", "0", ...others, ...always], { stdio: ["ignore", "pipe", "inherit"] });
    let written = "";
    for await (const chunk of this.process.stdout) {
      written += chunk;
      const found = /listening on (http:\/\/(\S+))/.exec(written);
      if (!found) continue;
      [, this.url, this.listen] = found;
      return;
    }
    assert.fail(`${this.args} has ended: ${written}`);
  }

  // kill is kill -9. A test that failed may have done it already.
  async kill() {
    if (this.process.signalCode) return;
    const ended = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await ended;
  }

  async remove() {
    await this.kill();
    await rm(this.data, { recursive: true });
  }
}
