import type {JSX} from 'preact';
import {at, write} from '../lib/api';
import type {AuditEntry, OpenSession, OpenSessions} from '../lib/contract';
import {count, seconds, words} from '../lib/format';
import {useResource} from '../lib/resource';
import {href, hrefWith, param} from '../lib/router';
import {can} from '../lib/session';
import {everyPage} from '../lib/take';
import {Badge, Button, Empty, Failed, Page, Section, Time} from '../ui/basics';
import {ask} from '../ui/dialog';
import {DataTable} from '../ui/table';

function end(session: OpenSession, done: () => void): void {
  ask({
    title: `End the session of ${session.name}`,
    body: <p>Its cookie is refused from the moment of the answer, and what it watches stops. Whoever it is can sign in again, unless the settings give no role any more.</p>,
    verb: 'End it',
    word: session.name,
    danger: true,
    run: async () => {
      await write('DELETE', at(['sessions', session.id]));
      done();
      return `The session of ${session.name} has ended.`;
    }
  });
}

/** Who has the session, and whether it is the reader's own. */
function Who({of}: {of: OpenSession}): JSX.Element {
  return <>{of.profileId ? <a href={href(['records', 'people', of.profileId])}>{of.name}</a> : of.name}{of.own && <> <Badge tone="good">this one</Badge></>}</>;
}

/** What the audit tells of the session. */
function Acts({of}: {of: OpenSession}): JSX.Element {
  const filter = {credential: of.credential, from: of.signedInAt};
  const {data, error, reload} = useResource<{values: AuditEntry[]; next: string | null}>(at(['audit'], {...filter, limit: 100}), 15);
  return (
    <Section title={`What ${of.name} did`} lead={<>Since <Time at={of.signedInAt} /> UTC, newest first. Looking leaves nothing in the audit.</>}
      actions={(
        <>
          <a class="button small" href={href(['audit'], {credential: of.credential})}>In the audit</a>
          <a class="button small" href={hrefWith({session: undefined})}>Close</a>
        </>
      )}>
      {error.value && <Failed error={error.value} retry={reload} />}
      {data.value && (
        <DataTable caption={`What ${of.name} did in the session, newest first`} file="acts" all={() => everyPage(['audit'], filter)} rows={data.value.values} id={each => each.number} sortName="acts"
          empty={<Empty what="Nothing but looking.">Acts appear here as they are done.</Empty>}
          columns={[
            {head: 'When (UTC)', cell: each => <Time at={each.at} />},
            {head: 'Act', cell: each => <a href={href(['audit'], {credential: of.credential, entry: each.number})}>{words(each.act)}</a>},
            {head: 'Subject', cell: each => each.subject || <span class="quiet">–</span>},
            {head: 'After', cell: each => each.after || <span class="quiet">–</span>}
          ]} />
      )}
      {data.value?.next && <p class="quiet small">The last {count(data.value.values.length, 'act')}; the audit has the others.</p>}
    </Section>
  );
}

export function SessionsPage(): JSX.Element {
  const {data, error, reload} = useResource<OpenSessions>('sessions', 10);
  const rows = data.value?.values ?? [];
  const chosen = rows.find(each => each.id === param('session'));
  const admin = can('admin');
  return (
    <Page title="Who is in" lead={<>The open sessions of this console, newest first.{data.value && ` A session ends ${seconds(data.value.idleMaxSeconds)} after its last call, and ${seconds(data.value.maxSeconds)} after it began; one for a wall ${seconds(data.value.wallMaxSeconds)} after it began.`}</>}>
      {error.value && <Failed error={error.value} retry={reload} />}
      {data.value && (
        <Section title="Sessions">
          <DataTable caption="Open sessions, newest first" file="sessions" rows={rows} id={each => each.id}
            empty={<Empty what="Nobody has a session.">Access tokens have none; the audit tells what they do.</Empty>}
            columns={[
              {head: 'Who', cell: each => <Who of={each} />, by: each => each.name},
              {head: 'Role', cell: each => each.role, by: each => each.role},
              {head: 'By', cell: each => (each.by === 'link' ? 'a link' : 'a wallet'), by: each => each.by},
              {head: 'From', cell: each => each.address || <span class="quiet">–</span>, by: each => each.address},
              {head: 'Signed in (UTC)', cell: each => <Time at={each.signedInAt} />, by: each => each.signedInAt},
              {head: 'Last call', cell: each => (each.lastUsedAt ? <Time at={each.lastUsedAt} age /> : <span class="quiet">none since the server started</span>), by: each => each.lastUsedAt},
              {head: 'Ends', cell: each => <Time at={Math.min(each.idleEndsAt, each.endsAt)} age />, by: each => Math.min(each.idleEndsAt, each.endsAt)},
              {head: 'What it did', cell: each => <a href={hrefWith({session: each.id})} aria-current={each.id === chosen?.id ? 'true' : undefined} aria-label={`Acts of ${each.name}, signed in ${new Date(each.signedInAt).toISOString()}`}>Acts</a>},
              ...(admin ? [{head: 'End it', cell: (each: OpenSession) => (each.own
                ? <></>
                : <Button small kind="danger" label={`End the session of ${each.name}, signed in ${new Date(each.signedInAt).toISOString()}`} onClick={() => end(each, reload)}>End…</Button>)}] : [])
            ]} />
        </Section>
      )}
      {data.value && param('session') && !chosen && <Empty what="This session is not open any more.">The audit tells of all that there were, of <a href={href(['audit'], {act: 'console_sign_in'})}>people</a> and of <a href={href(['audit'], {act: 'console_wall_sign_in'})}>walls</a>.</Empty>}
      {chosen && <Acts key={chosen.id} of={chosen} />}
    </Page>
  );
}
