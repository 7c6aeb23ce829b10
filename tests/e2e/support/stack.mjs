// A sandbox and a gateway of one's own, on free ports, in a folder that goes with them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const START_DEADLINE_MS = 120_000;
const END_DEADLINE_MS = 15_000;

function required(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run the browser tests by \`cargo xtask e2e\``);
  return value;
}

async function freePort() {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

class Program {
  constructor(name, args, dir) {
    this.name = name;
    this.args = args;
    this.log = join(dir, `${name}.log`);
  }

  // Resolves when `ready` does; fails early, with the program's last words, if the program ends.
  async start(ready) {
    this.child = spawn(join(required("SPACEPORT_BIN"), this.name), this.args, { stdio: ["ignore", "pipe", "pipe"] });
    const log = createWriteStream(this.log, { flags: "a" });
    this.child.stdout.pipe(log);
    this.child.stderr.pipe(log);
    this.exit = once(this.child, "exit");
    const deadline = Date.now() + START_DEADLINE_MS;
    while (!(await ready().catch(() => false))) {
      if (this.child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`${this.name} is not ready (exit code ${this.child.exitCode}):\n${this.tail()}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async end(signal = "SIGTERM") {
    if (!this.child || this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill(signal);
    const kill = setTimeout(() => this.child.kill("SIGKILL"), END_DEADLINE_MS);
    await this.exit;
    clearTimeout(kill);
  }

  tail() {
    return readFileSync(this.log, "utf8").split("\n").slice(-20).join("\n");
  }
}

export class Stack {
  // `sandbox`: further arguments of the sandbox, such as ["--empty"] or ["--runtime", "simulated"].
  static async start({ sandbox = ["--runtime", "simulated"] } = {}) {
    const stack = new Stack();
    stack.dir = mkdtempSync(join(tmpdir(), "spaceport-e2e-"));
    const [portal, admin, kube, east, aws, spaces, faults] = await Promise.all(Array.from({ length: 7 }, freePort));
    stack.faultsUrl = `http://127.0.0.1:${faults}`;
    stack.url = `http://127.0.0.1:${portal}`;
    const config = join(stack.dir, "spaceport.toml");
    stack.sandbox = new Program("spaceport-sandbox", [
      "--dir", stack.dir, "--kube-port", kube, "--kube-east-port", east, "--aws-port", aws,
      "--spaces-port", spaces, "--admin-port", faults, "--gateway-url", stack.url, ...sandbox,
    ], stack.dir);
    stack.gateway = new Program("spaceport", [
      "serve", "--config", config, "--listen", `127.0.0.1:${portal}`, "--admin-listen", `127.0.0.1:${admin}`,
      "--assets-dir", required("SPACEPORT_DIST"),
    ], stack.dir);
    const any = async (port) => Boolean(await fetch(`http://127.0.0.1:${port}/`));
    stack.startSandbox = () => stack.sandbox.start(async () => (await any(aws)) && (await any(spaces)));
    stack.startGateway = () => stack.gateway.start(async () => (await fetch(`${stack.url}/readyz`)).ok);
    try {
      await stack.startSandbox();
      await stack.startGateway();
    } catch (error) {
      await stack.stop();
      throw error;
    }
    return stack;
  }

  async stop() {
    await this.gateway.end();
    await this.sandbox.end();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
