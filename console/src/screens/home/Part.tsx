import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useHomeTexts } from './texts';

/** A part of the page with a title, and a link to everything of its kind. */
export function Part({ title, more, children }: { title: string; more?: string; children: ReactNode }) {
  const t = useHomeTexts();
  return (
    <section className="home-section">
      <div className="section-head">
        <h2>{title}</h2>
        {more && (
          <Link href={more} className="push small">
            {t('all')}
          </Link>
        )}
      </div>
      {children}
    </section>
  );
}
