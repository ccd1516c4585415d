// The brand of the account: logo, colours, font and footer, with an email and a page beside the fields that show them while
// they are chosen. Whether text reads on the colour is said before it is saved.
import {
  Box,
  Button,
  FileButton,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { IconPhoto, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { contrast, isColour, textOn } from '../../../../../src/campaigns/model/colour.ts';
import { fonts } from '../../../../../src/campaigns/model/plain-brand.ts';
import { publicPath } from '../../../api/base-path.ts';
import { call } from '../../../api/call.ts';
import type { ResultOf } from '../../../api/types.ts';
import { invalidate, useMethod } from '../../../api/use-method.ts';
import { FaultNote } from '../../../parts/fault.tsx';
import { MethodForm, Submit, useMethodForm } from '../../../parts/form/form.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { Section } from '../../../parts/page.tsx';
import { Status } from '../../../parts/status/status.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useAction } from '../../../parts/use-action.ts';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import { base64Of } from '../../composer/content/archive-file.ts';
import { scaledPicture } from '../../composer/pictures/scaled-picture.ts';
import { SettingsFrame } from '../frame.tsx';
import classes from './brand.module.css';

type Brand = ResultOf<'brandGet'>;
type Values = Pick<Brand, 'logo_url' | 'color' | 'background' | 'font' | 'footer'>;

export function BrandScreen() {
  const t = useText('settings');
  const answer = useMethod('brandGet');
  const { account } = useSession();
  return (
    <SettingsFrame section="brand" description={t('brandAbout')}>
      <Loaded query={answer}>{(brand) => <BrandForm key={account.id} brand={brand} />}</Loaded>
    </SettingsFrame>
  );
}

function BrandForm({ brand }: { brand: Brand }) {
  const t = useText('settings');
  const mayWrite = useSession().mayAll('campaigns:write');
  const client = useQueryClient();
  const form = useMethodForm<Values, unknown>({
    initialValues: {
      logo_url: brand.logo_url,
      color: brand.color,
      background: brand.background,
      font: brand.font,
      footer: brand.footer,
    },
    validate: {
      color: (value) => (isColour(value) ? null : t('brandNoColour')),
      background: (value) => (isColour(value) ? null : t('brandNoColour')),
    },
    send: async (values) => {
      await call('brandUpdate', values as Parameters<typeof call<'brandUpdate'>>[1]);
      await invalidate(client, ['brand', 'campaign']);
    },
    done: () => toast.done(t('brandSaved')),
  });
  const fields = (
    <>
      <Logo url={form.values.logo_url} onUrl={(url) => form.setFieldValue('logo_url', url)} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Stack gap="xs">
          <ColourField label={t('brandColour')} description={t('brandColourHint')} {...form.getInputProps('color')} />
          {isColour(form.values.color) && <Contrast colour={form.values.color} />}
        </Stack>
        <ColourField
          label={t('brandBackground')}
          description={t('brandBackgroundHint')}
          {...form.getInputProps('background')}
        />
      </SimpleGrid>
      <NativeSelect
        label={t('brandFont')}
        data={Object.entries(fonts).map(([value, family]) => ({
          value,
          label: family.split(',')[0]!.replaceAll("'", ''),
        }))}
        {...form.getInputProps('font')}
      />
      <Textarea
        label={t('brandFooter')}
        description={t('brandFooterHint')}
        autosize
        minRows={2}
        maxLength={500}
        {...form.getInputProps('footer')}
      />
    </>
  );
  return (
    <div className={classes.columns}>
      <Section title={t('brandLook')}>
        {mayWrite ? (
          <MethodForm form={form} guard>
            {fields}
            <Group>
              <Submit form={form} disabled={!form.isDirty()}>
                {t('save')}
              </Submit>
            </Group>
          </MethodForm>
        ) : (
          <fieldset disabled className={classes.plain}>
            <Stack>{fields}</Stack>
          </fieldset>
        )}
      </Section>
      <Preview values={form.values} saved={brand} />
    </div>
  );
}

/** The program accepts what assetCreate accepts; the address is stored with the form. */
function Logo({ url, onUrl }: { url: string; onUrl(url: string): void }) {
  const t = useText('settings');
  const [fault, setFault] = useState<unknown>();
  const { busy, run } = useAction(setFault);
  const upload = async (file: File | null) => {
    if (!file) return;
    setFault(undefined);
    await run(async () => {
      const scaled = await scaledPicture(file);
      const content = await base64Of(scaled?.file ?? file);
      const asset = await call('assetCreate', { content, title: file.name, alt: '' });
      onUrl(asset.url);
    });
  };
  return (
    <Stack gap="xs">
      <Text component="div" fw={500}>
        {t('brandLogo')}
      </Text>
      <Text size="xs" c="dimmed">
        {t('brandLogoHint')}
      </Text>
      <Group gap="sm">
        {url !== '' && <img src={pathOf(url)} alt={t('brandLogo')} className={classes.logo} />}
        <FileButton accept="image/png,image/jpeg,image/gif,image/webp" onChange={(file) => void upload(file)}>
          {(props) => (
            <Button {...props} variant="default" loading={busy} leftSection={<IconPhoto size={16} aria-hidden />}>
              {t(url === '' ? 'brandUpload' : 'brandReplace')}
            </Button>
          )}
        </FileButton>
        {url !== '' && (
          <Button
            variant="subtle"
            color="gray"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => onUrl('')}
          >
            {t('brandNoLogo')}
          </Button>
        )}
      </Group>
      {fault !== undefined && <FaultNote error={fault} />}
    </Stack>
  );
}

type ColourProps = { label: string; description: string; value?: string; onChange?(value: string): void };

/** A colour as text, with the browser's own choice of colours beside it. */
function ColourField({ label, value = '', onChange, ...props }: ColourProps) {
  const t = useText('settings');
  return (
    <TextInput
      {...props}
      label={label}
      value={value}
      maxLength={7}
      onChange={(event) => onChange?.(event.currentTarget.value)}
      leftSection={
        <input
          type="color"
          className={classes.swatch}
          aria-label={t('brandPick', { label })}
          value={isColour(value) ? value : '#000000'}
          onChange={(event) => onChange?.(event.currentTarget.value)}
        />
      }
    />
  );
}

function Contrast({ colour }: { colour: string }) {
  const t = useText('settings');
  const { decimal } = useFormats();
  const ratio = contrast(colour, textOn(colour));
  return (
    <Group>
      <Status tone={ratio >= 4.5 ? 'good' : 'waiting'}>
        {t(textOn(colour) === '#ffffff' ? 'brandWhiteText' : 'brandDarkText', { ratio: decimal(ratio) })}
      </Status>
    </Group>
  );
}

/** An email and a page in the chosen look. Colours that are being typed keep their last valid value. */
function Preview({ values, saved }: { values: Values; saved: Brand }) {
  const t = useText('settings');
  const { account } = useSession();
  const colour = isColour(values.color) ? values.color : saved.color;
  const background = isColour(values.background) ? values.background : saved.background;
  const fontFamily = fonts[values.font as keyof typeof fonts];
  const name = account.company || account.name;
  const band = { background: colour, color: textOn(colour) };
  return (
    <Box component="section" aria-label={t('brandPreview')} className={classes.preview}>
      <Text size="xs" c="dimmed" mb="xs">
        {t('brandPreview')}
      </Text>
      <div className={classes.email} style={{ background, fontFamily }}>
        <div className={classes.band} style={band}>
          {values.logo_url === '' ? name : <img src={pathOf(values.logo_url)} alt={name} />}
        </div>
        <div className={classes.sheet}>
          <p className={classes.headline}>{t('brandSampleTitle')}</p>
          <p>{t('brandSampleText')}</p>
          <span className={classes.button} style={band}>
            {t('brandSampleButton')}
          </span>
        </div>
        <p className={classes.foot} style={{ color: textOn(background) }}>
          {values.footer.trim() !== '' && `${values.footer.trim()}\n`}
          {name}
        </p>
      </div>
    </Box>
  );
}

/** Images are loaded from the origin of this page, whatever the public address is. */
function pathOf(address: string): string {
  const url = new URL(address, window.location.href);
  return url.pathname.startsWith(publicPath('/asset/')) ? url.pathname : address;
}
