// A clamd that knows one virus, and can be away.
import { once } from "node:events";
import { createServer } from "node:net";

export class Clam {
  static async start() {
    const made = new Clam();
    made.away = false;
    made.server = createServer(socket => made.serve(socket)).listen(0, "127.0.0.1");
    await once(made.server, "listening");
    made.address = `tcp://127.0.0.1:${made.server.address().port}`;
    return made;
  }

  // serve reads one INSTREAM: its command, then chunks with their lengths, of which the last is empty.
  serve(socket) {
    let all = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", data => {
      if (this.away) return socket.destroy();
      all = Buffer.concat([all, data]);
      if (all.length >= 4 && all.readUInt32BE(all.length - 4) === 0) {
        socket.end(all.includes("a virus") ? "stream: Test.Virus FOUND\0" : "stream: OK\0");
      }
    });
  }

  stop() {
    this.server.close();
  }
}
