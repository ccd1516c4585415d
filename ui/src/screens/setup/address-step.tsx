// Setup: the public address. Shows the one in effect and the one the browser is at, and sets the latter: a browser that is
// there proves that it leads here. Where BASE_URL is set, it shows what the operator sets instead.
import { Alert, Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconExternalLink } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { homeUrl, publicPath } from '../../api/base-path.ts';
import { useMutate } from '../../api/use-method.ts';
import { Copy } from '../../parts/copy.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useText } from '../../text/use-text.tsx';
import { compareAddress, readAddress, readBase } from './address.ts';
import classes from './setup.module.css';
import { StepFoot } from './step-foot.tsx';
import type { SetupInfo } from './steps.ts';

export function AddressStep({ info }: { info: SetupInfo }) {
  const t = useText('setup');
  const here = homeUrl();
  const comparison = compareAddress(info, here);
  const byOperator = info.base_url_source === 'operator';
  return (
    <>
      <dl className={classes.facts}>
        <Text component="dt" c="dimmed">
          {t('inEffect')}
        </Text>
        <dd>
          <Text fw={500}>{info.base_url}</Text>
          <Text size="xs" c="dimmed">
            {t.of('source', info.base_url_source)}
          </Text>
        </dd>
        <Text component="dt" c="dimmed">
          {t('here')}
        </Text>
        <Text component="dd">{here}</Text>
      </dl>
      {comparison === 'works' && (
        <Alert color="teal" variant="outline" icon={<IconCircleCheck aria-hidden />}>
          <Text size="sm">{t('addressWorks')}</Text>
        </Alert>
      )}
      {comparison === 'local' && (
        <>
          <Warning>{t('addressLocal')}</Warning>
          {byOperator ? <OperatorSetting url="https://mail.example.com" /> : <OpenElsewhere />}
        </>
      )}
      {comparison === 'local-browser' && (
        <Alert variant="outline" icon={<IconExternalLink aria-hidden />}>
          <Text size="sm">
            {t('addressLocalHere')} <Anchor href={setupAt(info.base_url)}>{info.base_url}</Anchor>
          </Text>
        </Alert>
      )}
      {comparison === 'operator' && (
        <>
          <Warning>{t('addressDiffers')}</Warning>
          <OperatorSetting url={here} />
        </>
      )}
      {comparison === 'differs' && (
        <>
          <Warning>{t('addressDiffers')}</Warning>
          <UseThis url={here} />
        </>
      )}
      {comparison !== 'local' && new URL(info.base_url_local ? here : info.base_url).protocol === 'http:' && (
        <Warning>{t('addressHttp')}</Warning>
      )}
      <StepFoot step="address" info={info} />
    </>
  );
}

const setupAt = (origin: string) => `${origin}/app/setup/address`;

const Warning = ({ children }: { children: ReactNode }) => (
  <Alert color="yellow" variant="outline" icon={<IconAlertTriangle aria-hidden />}>
    <Text size="sm">{children}</Text>
  </Alert>
);

function UseThis({ url }: { url: string }) {
  const t = useText('setup');
  const set = useMutate('setupUpdate', ['session', 'home', 'sender']);
  return (
    <Group>
      <Button
        loading={set.isPending}
        onClick={() =>
          set.mutate({ url }, { onSuccess: () => toast.done(t('addressSaved', { url })), onError: toast.failed })
        }
      >
        {t('addressUse', { url })}
      </Button>
    </Group>
  );
}

/** @param isPath the URL has a path, which the program has to know before anyone can open it */
function OperatorSetting({ url, isPath = false }: { url: string; isPath?: boolean }) {
  const t = useText('setup');
  const line = `BASE_URL=${url}`;
  return (
    <Stack gap="sm">
      <Text>{t(isPath ? 'addressPath' : 'addressOperator')}</Text>
      <div className={classes.setting}>
        <span>{line}</span>
        <Copy value={line} label={t('setting')} />
      </div>
    </Stack>
  );
}

/** Leads to this step at the public address, where it can be confirmed. */
function OpenElsewhere() {
  const t = useText('setup');
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState(false);
  const [base, setBase] = useState<string>();
  const open = () => {
    const withPath = readBase(typed);
    setBase(withPath);
    if (withPath !== undefined) return setWrong(false);
    const origin = readAddress(typed);
    setWrong(origin === undefined);
    if (origin !== undefined) window.location.assign(setupAt(origin));
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        open();
      }}
    >
      <Stack gap="sm">
        <Text>
          {t('addressHow')}{' '}
          <Anchor href={publicPath('/docs/guide/setup/reverse-proxy')} target="_blank" underline="always" inherit>
            {t('addressProxy')}
          </Anchor>
        </Text>
        <Group align="flex-start" gap="sm">
          <TextInput
            label={t('addressField')}
            placeholder="https://mail.example.com"
            type="url"
            autoCapitalize="none"
            spellCheck={false}
            flex="1 1 280px"
            value={typed}
            onChange={({ currentTarget: { value } }) => setTyped(value)}
            error={wrong && t('addressInvalid')}
          />
          <Button type="submit" mt={25}>
            {t('addressOpen')}
          </Button>
        </Group>
        {base !== undefined && <OperatorSetting url={base} isPath />}
      </Stack>
    </form>
  );
}
