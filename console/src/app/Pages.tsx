import { lazy, Suspense } from 'react';
import { useLocation } from 'wouter';
import { Route, Switch } from 'wouter';
import { useKind } from '../api/hooks';
import { useProject } from '../api/project';
import { ListPage } from '../list/ListPage';
import { EmptyState, Skeleton } from '../ui/Feedback';
import { NoAccess } from '../ui/NoAccess';
import { areas, screensOf } from './areas';
import { ErrorBoundary } from './ErrorBoundary';
import { useShellTexts } from './texts';

const DetailPage = lazy(() => import('../detail/DetailPage'));
const CreatePage = lazy(() => import('../detail/CreatePage'));
const HomePage = lazy(() => import('../screens/home/HomePage'));

/** The page that the address names: hand-made ones first, then the generic pages of the kind. */
export function Pages() {
  const { key } = useProject();
  const [location] = useLocation();
  const base = `/${encodeURIComponent(key)}`;
  return (
    <ErrorBoundary key={location}>
      <Suspense
        fallback={
          <div className="page">
            <Skeleton lines={6} />
          </div>
        }
      >
        <Switch>
          <Route path={base}>
            <HomePage />
          </Route>
          {areas
            .flatMap((area) => area.routes ?? [])
            .map((route) => (
              <Route key={route.path} path={`${base}/${route.path}`}>
                {(parameters) => <route.page {...(parameters as Record<string, string>)} />}
              </Route>
            ))}
          <Route path={`${base}/:segment`}>{({ segment }) => <KindPage key={segment} segment={segment} />}</Route>
          <Route path={`${base}/:segment/:id`}>
            {({ segment, id }) => <KindPage key={`${segment}/${id}`} segment={segment} id={decoded(id)} />}
          </Route>
          <Route>
            <Missing />
          </Route>
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}

/** A key may contain what looks like an encoded character. */
function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

function Missing() {
  const t = useShellTexts();
  return (
    <div className="page">
      <EmptyState icon="search" title={t('pageMissing')} />
    </div>
  );
}

function KindPage({ segment, id }: { segment: string; id?: string }) {
  const { kind, mayView, mayManage } = useKind(segment);
  if (!kind) return <Missing />;
  if (!mayView) return <NoAccess />;
  const screens = screensOf(kind);
  if (id === 'new' && mayManage) {
    const Create = screens.create ?? CreatePage;
    return <Create kind={kind} />;
  }
  if (kind.singleton || id !== undefined) {
    const Detail = screens.detail ?? DetailPage;
    return <Detail kind={kind} id={id ?? ''} />;
  }
  const List = screens.list ?? ListPage;
  return <List kind={kind} />;
}
