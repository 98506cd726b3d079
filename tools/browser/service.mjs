// The service, as a child process.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

let issued = 1_000_000;
// usdot returns a USDOT number that no other call returned: a carrier without one may not have loads.
export const usdot = () => String(++issued);

export class Service {
  // start starts a service with data of its own; settings are variables of the environment.
  static async start(binary, settings = {}) {
    const made = new Service();
    Object.assign(made, { binary, settings, data: await mkdtemp(join(tmpdir(), "dispatchd-data-")), port: await freePort() });
    made.url = `http://127.0.0.1:${made.port}`;
    await made.run();
    made.token = (await readFile(join(made.data, "token"), "utf8")).trim();
    return made;
  }

  // run runs it, on the data that it has.
  async run() {
    this.output = "";
    this.child = spawn(this.binary, ["serve"], {
      cwd: this.data,
      env: { ...process.env, ...this.settings, DISPATCHD_DATA_DIR: this.data, DISPATCHD_WEB__ADDRESS: `127.0.0.1:${this.port}` },
    });
    for (const stream of [this.child.stdout, this.child.stderr]) stream.on("data", text => { this.output += text; });
    for (let tries = 0; tries < 200; tries++) {
      if (await fetch(`${this.url}/readyz`).then(answer => answer.ok, () => false)) return;
      await new Promise(resolve => setTimeout(resolve, 100));
    }
    throw new Error(`the service does not start:\n${this.output}`);
  }

  // kill ends it as a power cut does.
  async kill() {
    this.child.kill("SIGKILL");
    await once(this.child, "exit");
  }

  async stop() {
    this.child.kill("SIGTERM");
    await once(this.child, "exit");
    await rm(this.data, { recursive: true, force: true });
  }

  // ask sends a request as the owner of the demo company, and returns the JSON of the answer.
  async ask(method, path, body, area = "attachments", headers = {}) {
    const answer = await fetch(`${this.url}/${area}/api/v1${path}`, {
      method, headers: { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json", ...headers },
      body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text && JSON.parse(text);
  }

  async invite(wish) {
    return this.ask("POST", "/upload_links", wish);
  }

  // files are those whose content has a SHA-256.
  async files(sha256) {
    return (await this.ask("GET", `/attachments?filter[sha256]=${sha256}`)).data;
  }
}
