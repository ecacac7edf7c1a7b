import type {JSX} from 'preact';
import {at, write} from '../lib/api';
import type {SlashRow} from '../lib/contract';
import {whole, words} from '../lib/format';
import {useResource} from '../lib/resource';
import {href, param} from '../lib/router';
import {can} from '../lib/session';
import {everyPage} from '../lib/take';
import {Badge, Button, Empty, Failed, Section, Time} from '../ui/basics';
import {ask} from '../ui/dialog';
import {CursorPager, DataTable} from '../ui/table';

const isOpen = (slash: SlashRow): boolean => /^(open|voting)$/i.test(slash.state);

function cancel(slash: SlashRow, done: () => void): void {
  ask({
    title: `Cancel slash ${slash.slashId}`,
    body: <p>The accusation of {slash.subject} by profile {slash.authorProfileId} ends without an outcome. This cannot be undone.</p>,
    verb: 'Cancel the slash',
    word: String(slash.slashId),
    danger: true,
    run: async () => {
      await write('POST', at(['slashes', slash.slashId, 'cancel']));
      done();
      return `Slash ${slash.slashId} is cancelled.`;
    }
  });
}

export function SlashesList(): JSX.Element {
  const {data, error, reload} = useResource<{values: SlashRow[]; next: string | null}>(at(['slashes'], {limit: 50, cursor: param('cursor')}));
  const admin = can('admin');
  return (
    <Section title="Slashes" lead="Newest first.">
      {error.value && <Failed error={error.value} retry={reload} />}
      {data.value && (
        <>
          <DataTable caption="Slashes, newest first" file="slashes" all={() => everyPage(['slashes'], {})} rows={data.value.values} id={each => each.slashId}
            empty={<Empty what="Nobody has been accused.">A slash is made over the API by a profile; here it can be watched and cancelled.</Empty>}
            columns={[
              {head: 'Slash', as: 'n', cell: each => each.slashId, by: each => each.slashId},
              {head: 'Author', cell: each => <a href={href(['records', 'people', each.authorProfileId])}>profile {each.authorProfileId}</a>, by: each => each.authorProfileId},
              {head: 'Subject', cell: each => each.subject, by: each => each.subject},
              {head: 'Amount', as: 'n', cell: each => whole(each.amount), by: each => each.amount},
              {head: 'State', cell: each => <Badge tone={isOpen(each) ? 'good' : 'off'}>{words(each.state)}</Badge>, by: each => each.state},
              {head: 'Made (UTC)', cell: each => <Time at={each.createdAt} />, by: each => each.createdAt},
              {head: 'Ends (UTC)', cell: each => <Time at={each.endsAt} />, by: each => each.endsAt},
              ...(admin ? [{head: 'Acts', cell: (each: SlashRow) => (isOpen(each) ? <Button small kind="danger" label={`Cancel slash ${each.slashId}`} onClick={() => cancel(each, reload)}>Cancel…</Button> : <></>)}] : [])
            ]} />
          <CursorPager next={data.value.next} />
        </>
      )}
    </Section>
  );
}
