import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { I18nProvider, RouterProvider } from 'react-aria-components';
import { Route, Router, Switch, useLocation } from 'wouter';
import { useBrowserLocation } from 'wouter/use-browser-location';
import { clientFor } from '../api/client';
import { readConfiguration, type Configuration } from '../api/console';
import { queryClient } from '../api/hooks';
import { AppProvider, ProjectProvider } from '../api/project';
import { loadSession, sessionStore, signOut, useSession } from '../api/session';
import { ModelIndex } from '../model/model';
import type { Model } from '../model/types';
import { SignInPage } from '../screens/account/SignInPage';
import { Button } from '../ui/Button';
import { EmptyState, ErrorState, notifyError, Skeleton, Toasts } from '../ui/Feedback';
import { useWords } from '../ui/texts';
import { hasUnsavedChanges, pendingLeave } from './leave-guard';
import { usePreferences } from './preferences';
import { Pages } from './Pages';
import { Shell } from './Shell';
import { readStored, useStore, writeStored } from './store';
import { useShellTexts } from './texts';

const SignInDialog = lazy(() => import('../screens/account/SignInDialog'));

interface Loaded {
  configuration: Configuration;
  model: ModelIndex;
}

async function load(): Promise<Loaded> {
  const started = Promise.all([readConfiguration(), location.hash.startsWith('#link=') ? undefined : loadSession()]).then(
    ([configuration]) => {
      prepareProject(configuration);
      return configuration;
    },
  );
  const model = fetch('/console/model.json').then((response) => response.json() as Promise<Model>);
  const [configuration, described] = await Promise.all([started, model]);
  return { configuration, model: new ModelIndex(described) };
}

/** Gets the token of the project in the address while the model is still on its way. */
function prepareProject(configuration: Configuration): void {
  const current = sessionStore.get();
  const [, , name = ''] = location.pathname.split('/');
  const project = current.state === 'signed-in' && current.session.projects.find(({ key }) => encodeURIComponent(key) === name);
  if (project) clientFor(project.key, configuration.apiBase).prepare();
}

/** Asks before unsaved changes are lost. */
function useGuardedLocation(): ReturnType<typeof useBrowserLocation> {
  const [path, navigate] = useBrowserLocation();
  const guarded = useCallback<typeof navigate>(
    (to, options) => {
      const same = new URL(String(to), location.href).pathname === location.pathname;
      if (hasUnsavedChanges() && !same) pendingLeave.set({ go: () => navigate(to, options) });
      else navigate(to, options);
    },
    [navigate],
  );
  return [path, guarded];
}

export function App() {
  const { language } = usePreferences();
  return (
    <I18nProvider locale={language === 'de' ? 'de-DE' : 'en-US'}>
      <QueryClientProvider client={queryClient}>
        <Router base="/console" hook={useGuardedLocation}>
          <Start />
          <Toasts />
        </Router>
      </QueryClientProvider>
    </I18nProvider>
  );
}

function Start() {
  const [loaded, setLoaded] = useState<Loaded>();
  const [error, setError] = useState<unknown>();
  const begin = useCallback(() => {
    setError(undefined);
    load().then(setLoaded, setError);
  }, []);
  useEffect(begin, [begin]);
  const { state } = useStore(sessionStore);
  const [, navigate] = useLocation();
  if (error)
    return (
      <div className="gate">
        <ErrorState error={error} onRetry={begin} />
      </div>
    );
  if (!loaded)
    return (
      <div className="gate">
        <Skeleton />
      </div>
    );
  if (state === 'unknown' || state === 'signed-out') return <SignInPage configuration={loaded.configuration} />;
  return (
    <RouterProvider navigate={(path) => navigate(path)} useHref={(path) => `/console${path}`}>
      <AppProvider value={loaded}>
        <Projects />
        {state === 'expired' && (
          <Suspense>
            <SignInDialog />
          </Suspense>
        )}
      </AppProvider>
    </RouterProvider>
  );
}

function Projects() {
  const t = useShellTexts();
  const words = useWords();
  const { projects, administrator } = useSession();
  const [, navigate] = useLocation();
  const last = readStored('project', '');
  const first = projects.find((project) => project.key === last) ?? projects[0];
  if (!first) {
    return (
      <div className="gate">
        <EmptyState
          icon="user"
          title={administrator ? t('noProjectYet') : t('noProject')}
          action={
            <>
              {administrator && <Button onPress={() => location.reload()}>{words('retry')}</Button>}
              <Button onPress={() => void signOut().catch(notifyError)}>{t('signOut')}</Button>
            </>
          }
        >
          {administrator && t('noProjectYetHint')}
        </EmptyState>
      </div>
    );
  }
  return (
    <Switch>
      <Route path="/">{() => <Redirect to={`/${encodeURIComponent(first.key)}`} navigate={navigate} />}</Route>
      <Route path="/:project/*?">{(parameters) => <OneProject projectKey={parameters.project} />}</Route>
    </Switch>
  );
}

function Redirect({ to, navigate }: { to: string; navigate: (to: string, options?: { replace?: boolean }) => void }) {
  useEffect(() => navigate(to, { replace: true }), [to, navigate]);
  return null;
}

function OneProject({ projectKey }: { projectKey: string }) {
  const t = useShellTexts();
  const { projects } = useSession();
  const known = projects.some((project) => project.key === projectKey);
  useEffect(() => {
    if (known) writeStored('project', projectKey);
  }, [known, projectKey]);
  if (!known)
    return (
      <div className="gate">
        <EmptyState
          icon="warning"
          title={t('noSuchProject', { name: projectKey })}
          action={<a href="/console/">{t('home')}</a>}
        />
      </div>
    );
  return (
    <ProjectProvider projectKey={projectKey} key={projectKey}>
      <Shell>
        <Pages />
      </Shell>
    </ProjectProvider>
  );
}
