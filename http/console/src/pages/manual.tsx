import type {JSX} from 'preact';
import {useEffect, useMemo} from 'preact/hooks';
import {shown} from '../lib/markdown';
import type {Heading, Reading} from '../lib/markdown';
import {useResource} from '../lib/resource';
import {href, place} from '../lib/router';
import {Empty, Failed, Page} from '../ui/basics';

const idOf = (anchor: string): string => `manual-${anchor}`;

/** Anchors of the manual are views of this page; other files are not here. The page has the title already. */
const reading: Reading = {
  idOf,
  linkTo: target => {
    const anchor = /^(?:operating\.md)?#(.+)$/.exec(target)?.[1];
    return anchor === undefined ? null : href(['manual', anchor]);
  },
  from: 2
};

function jumpTo(anchor: string): void {
  const found = document.getElementById(idOf(anchor));
  found?.scrollIntoView();
  found?.focus({preventScroll: true});
}

/** A link to the section that the address names already changes no address. */
function jumpAgain(event: JSX.TargetedMouseEvent<HTMLElement>): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const anchor = place.value.path[1];
  if (anchor !== undefined && link?.getAttribute('href') === href(['manual', anchor])) jumpTo(anchor);
}

function Sections({of}: {of: Heading[]}): JSX.Element {
  return (
    <nav class="row wide" aria-label="Sections of the manual">
      {of.map(each => <a key={each.anchor} href={href(['manual', each.anchor])}>{each.text}</a>)}
    </nav>
  );
}

export function ManualPage(): JSX.Element {
  const {data, error, reload} = useResource<string>('manual');
  const text = data.value;
  const anchor = place.value.path[1];
  const {html, headings} = useMemo(() => shown(text ?? '', reading), [text]);
  const prose = useMemo(() => <div class="prose" dangerouslySetInnerHTML={{__html: html}} />, [html]);
  useEffect(() => {
    if (text !== null && anchor !== undefined) jumpTo(anchor);
  }, [text, anchor]);
  return (
    <Page title="Manual" lead="How this version is operated, and what to do about each alert.">
      {error.value && text === null && <Failed error={error.value} retry={reload} />}
      {text !== null && (
        <>
          {anchor !== undefined && !headings.some(each => each.anchor === anchor) && <Empty what={`The manual has no section “${anchor}”.`}>Choose one below.</Empty>}
          <Sections of={headings.filter(each => each.level === 2)} />
          <div onClick={jumpAgain}>{prose}</div>
        </>
      )}
    </Page>
  );
}
