// A proxy that shows the console under a path of its own, as nginx does with
// `location /ops/ { proxy_pass http://…/; proxy_set_header Host $http_host; }`: the page's origin is the name by which the console is called.
import {createServer, request} from "node:http";

export async function prefixProxy(target, prefix) {
  const to = new URL(target);
  const server = createServer((query, answer) => {
    if (!query.url.startsWith(prefix)) return answer.writeHead(404).end();
    const onward = request({
      host: to.hostname, port: to.port, method: query.method, path: `/${query.url.slice(prefix.length)}`, headers: query.headers,
    }, (reply) => {
      answer.writeHead(reply.statusCode, reply.headers);
      reply.pipe(answer);
    });
    onward.on("error", () => answer.writeHead(502).end());
    answer.on("close", () => onward.destroy());
    query.pipe(onward);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {url: `http://127.0.0.1:${server.address().port}${prefix}`, close: () => { server.closeAllConnections(); server.close(); }};
}
