import type {JSX} from 'preact';
import {at} from '../lib/api';
import type {SlashRow} from '../lib/contract';
import {whole, words} from '../lib/format';
import {useResource} from '../lib/resource';
import {href, param} from '../lib/router';
import {can} from '../lib/session';
import {everyPage} from '../lib/take';
import {Badge, Button, Empty, Failed, Section, Time} from '../ui/basics';
import {Profile} from '../ui/profile';
import {CursorPager, DataTable} from '../ui/table';
import {canCancel, cancelSlash} from './public_lists';

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
              {head: 'Slash', as: 'n', cell: each => <a href={href(['records', 'slashes', each.slashId])}>{each.slashId}</a>, by: each => each.slashId},
              {head: 'Author', cell: each => <Profile id={each.authorProfileId} />, by: each => each.authorProfileId},
              {head: 'Subject', cell: each => each.subject, by: each => each.subject},
              {head: 'Amount', as: 'n', cell: each => whole(each.amount), by: each => each.amount},
              {head: 'State', cell: each => <Badge tone={canCancel(each) ? 'good' : 'off'}>{words(each.state)}</Badge>, by: each => each.state},
              {head: 'Made (UTC)', cell: each => <Time at={each.createdAt} />, by: each => each.createdAt},
              {head: 'Ends (UTC)', cell: each => <Time at={each.endsAt} />, by: each => each.endsAt},
              ...(admin ? [{head: 'Acts', cell: (each: SlashRow) => (canCancel(each) ? <Button small kind="danger" label={`Cancel slash ${each.slashId}`} onClick={() => cancelSlash(each.slashId, each.subject, each.authorProfileId, reload)}>Cancel…</Button> : <></>)}] : [])
            ]} />
          <CursorPager next={data.value.next} />
        </>
      )}
    </Section>
  );
}
