// Reads `text/event-stream` from a fetch, which, unlike EventSource, can say after which event to go on once it was refused.

export interface Message {
  id: string;
  event: string;
  data: string;
}

/** Takes text as it arrives and hands on whole messages; https://html.spec.whatwg.org/#event-stream-interpretation. */
export class Splitter {
  private rest = '';
  private id = '';
  private event = '';
  private data: string[] = [];
  /** How long to wait before connecting anew, where the server said so. */
  retry: number | null = null;

  constructor(private readonly take: (message: Message) => void) {}

  add(text: string): void {
    const lines = (this.rest + text).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.line(line);
  }

  private line(line: string): void {
    if (line === '') {
      if (this.data.length > 0) this.take({id: this.id, event: this.event || 'message', data: this.data.join('\n')});
      this.event = '';
      this.data = [];
      return;
    }
    if (line.startsWith(':')) return;
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') this.data.push(value);
    else if (name === 'event') this.event = value;
    else if (name === 'id' && !value.includes('\0')) this.id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.retry = Number(value);
  }
}
