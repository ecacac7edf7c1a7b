import type {JSX} from 'preact';
import type {Setting, Settings} from '../lib/contract';
import {count} from '../lib/format';
import {useResource} from '../lib/resource';
import {param} from '../lib/router';
import {Badge, Empty, Failed, Name, Note, Page, Section} from '../ui/basics';
import {FilterSelect, FilterText} from '../ui/fields';
import {DataTable} from '../ui/table';

function Value({text}: {text: string}): JSX.Element {
  return text === '' ? <span class="quiet">empty</span> : <Name of={text} />;
}

function origin(of: Setting, file: string | null): JSX.Element {
  if (of.origin === 'default') return <span class="quiet">default</span>;
  const line = /^file:(\d+)$/.exec(of.origin)?.[1];
  return <>{line ? `${file ?? 'file'}, line ${line}` : of.origin}</>;
}

const shows: Record<string, (of: Setting) => boolean> = {
  set: each => each.origin !== 'default',
  changed: each => each.afterRestart !== undefined
};

export function SettingsPage(): JSX.Element {
  const {data, error, reload} = useResource<Settings>('settings');
  const settings = data.value;
  const text = param('text').toLowerCase();
  const show = shows[param('show')];
  const rows = (settings?.values ?? []).filter(each => (!show || show(each)) && (!text || `${each.name} ${each.help} ${each.value}`.toLowerCase().includes(text)));
  const pending = (settings?.values ?? []).filter(each => each.afterRestart !== undefined);
  return (
    <Page title="Settings" lead={settings && (settings.file ? <>Read from <code>{settings.file}</code>, flags and the environment when the server started.</> : 'From flags, the environment and defaults; there is no file.')}>
      {error.value && <Failed error={error.value} retry={reload} />}
      {settings && (
        <>
          {settings.mistakes.length > 0 && (
            <Note tone="bad" title="A restart would fail">
              <ul>{settings.mistakes.map(each => <li key={each}>{each}</li>)}</ul>
            </Note>
          )}
          {pending.length > 0
            ? (
              <Section title="What a restart would change">
                <DataTable caption="What a restart would change" file="pending-settings" rows={pending} id={each => each.name} sortName="pending" empty={<></>}
                  columns={[
                    {head: 'Setting', cell: each => <Name of={each.name} />},
                    {head: 'Now', cell: each => <Value text={each.value} />},
                    {head: 'After a restart', cell: each => <strong><Value text={each.afterRestart ?? ''} /></strong>}
                  ]} />
              </Section>
            )
            : settings.mistakes.length === 0 && <Note tone="good"><p>A restart would change nothing.</p></Note>}
          <Section title="All settings">
            <div class="filters">
              <FilterText name="text" label="Name, meaning or value" placeholder="http." />
              <FilterSelect name="show" label="Show" options={[['', 'all'], ['set', 'those that are not defaults'], ['changed', 'those that a restart changes']]} />
            </div>
            <DataTable caption="Settings" file="settings" rows={rows} id={each => each.name}
              empty={<Empty what="No setting matches.">Take filters out to see all {settings.values.length}.</Empty>}
              columns={[
                {head: 'Setting', cell: each => <Name of={each.name} />, by: each => each.name},
                {head: 'Value', cell: each => <Value text={each.value} />},
                {head: 'From', cell: each => (each.origin === 'default' ? origin(each, settings.file) : <Badge tone="off">{origin(each, settings.file)}</Badge>), by: each => each.origin},
                {head: 'Default', cell: each => (each.value === each.default ? <span class="quiet">the same</span> : <Value text={each.default} />)},
                {head: 'Meaning', cell: each => each.help}
              ]} />
            <p class="quiet small">{count(rows.length, 'setting')} of {settings.values.length}. Secrets are never shown.</p>
          </Section>
        </>
      )}
    </Page>
  );
}
