import { useEffect, useId, useMemo, useRef } from 'react';
import { usePreferences } from '../../app/preferences';
import type { Document } from '../../model/types';
import { Chip } from '../../ui/Feedback';
import { layOut, NODE_HEIGHT, NODE_WIDTH, pathOf } from './graph-layout';
import { followersOf, stateName, toStep } from './states';
import { useStateTexts } from './state-texts';
import './settings.css';

/** States as nodes, and the transitions between them as arrows. */
export function StateGraph({
  states,
  selected,
  onSelect,
}: {
  states: Document[];
  selected?: string;
  onSelect: (state: Document) => void;
}) {
  const t = useStateTexts();
  const { language } = usePreferences();
  const id = useId();
  const layout = useMemo(() => layOut(states.map(toStep)), [states]);
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The form at the side takes a part of the width.
    region.current?.querySelector('[aria-pressed="true"]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [selected]);
  const byId = new Map(states.map((state) => [state.id, state]));
  // Edges to or from the selected State are drawn last, above the others.
  const edges = [...layout.edges].sort((a, b) => Number(a.from === selected) - Number(b.from === selected));
  const look = (from: string, to: string) => (from === selected ? 'out' : to === selected ? 'in' : undefined);
  return (
    <div className="graph-scroll" ref={region} role="region" aria-label={t('graph')} tabIndex={0}>
      <div className="graph" style={{ width: layout.width, height: layout.height }}>
        <svg width={layout.width} height={layout.height} aria-hidden="true">
          <defs>
            {['', 'out', 'in'].map((name) => (
              <marker
                key={name}
                id={`${id}${name}`}
                viewBox="0 0 8 8"
                refX="7"
                refY="4"
                markerWidth="8"
                markerHeight="8"
                orient="auto"
                markerUnits="userSpaceOnUse"
              >
                <path d="M0 0 8 4 0 8z" className="graph-arrow" data-look={name || undefined} />
              </marker>
            ))}
          </defs>
          {edges.map((edge) => {
            const side = look(edge.from, edge.to);
            return (
              <path
                key={`${edge.from} ${edge.to}`}
                d={pathOf(edge.points)}
                className="graph-edge"
                data-look={side}
                data-back={edge.isBack || undefined}
                markerEnd={`url(#${id}${side ?? ''})`}
              />
            );
          })}
        </svg>
        {layout.nodes.map((node) => {
          const state = byId.get(node.id)!;
          const name = stateName(state, language);
          const next = followersOf(state);
          const followers = next?.flatMap((one) => (byId.has(one) ? [stateName(byId.get(one)!, language)] : []));
          const about =
            followers === undefined
              ? t('anyFollows')
              : followers.length === 0
                ? t('finalState')
                : t('leadsTo', { names: followers.join(', ') });
          return (
            <button
              key={node.id}
              type="button"
              className="graph-node"
              data-initial={state.initial === true || undefined}
              aria-pressed={node.id === selected}
              title={`${name}\n${about}`}
              style={{ left: node.x, top: node.y, width: NODE_WIDTH, height: NODE_HEIGHT }}
              onClick={() => onSelect(state)}
            >
              <span className="graph-name truncate" dir="auto">
                {name}
              </span>
              <span className="graph-key truncate">{String(state.key ?? '')}</span>
              <span className="graph-marks">
                {state.initial === true && <Chip look="info">{t('initial')}</Chip>}
                {next === undefined && <Chip>{t('any')}</Chip>}
                {next?.length === 0 && <Chip>{t('final')}</Chip>}
              </span>
              <span className="visually-hidden">{about}</span>
            </button>
          );
        })}
      </div>
    </div>
  );
}
