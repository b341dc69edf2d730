// A site that a test starts itself, to kill it and start it again.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

// startServer starts a web role on an embedded store of its own.
export async function startServer() {
  const server = new Server(await mkdtemp(join(tmpdir(), "microblogging-")));
  await server.start();
  return server;
}

class Server {
  url = "http://127.0.0.1:0";

  constructor(folder) {
    this.folder = folder;
  }

  // start starts it at the address that it had before.
  async start() {
    const listen = new URL(this.url).host;
    this.process = spawn(process.env.PROGRAM, ["web", "--data", this.folder, "--listen", listen, "--log-level", "error"],
      { stdio: ["ignore", "pipe", "inherit"] });
    for await (const line of createInterface(this.process.stdout)) {
      const [, url] = line.match(/^listening on (\S+)$/) ?? [];
      if (!url) continue;
      this.url = url;
      return;
    }
    throw new Error("the server has ended");
  }

  // kill ends it as a crash does.
  async kill() {
    if (this.process.signalCode) return;
    const ended = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await ended;
  }

  // remove ends it for good.
  async remove() {
    await this.kill();
    await rm(this.folder, { recursive: true });
  }
}
