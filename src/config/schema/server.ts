import { Flag, Size, Text, TextList, Whole } from './values.js';

/** `server:` - where the HTTP server listens, and how the world reaches it. */
export class ServerSection {
  @Text({ about: 'Address to listen on. Anything but loopback needs `insecureHttp: true`, because the server itself speaks no TLS.' })
  readonly host: string = '127.0.0.1';

  @Whole({ about: 'Port to listen on; 0 takes a free one.', min: 0, max: 65_535 })
  readonly port: number = 8787;

  @Text(
    {
      about: 'Address under which providers reach this server; webhooks go to `<publicUrl>/v1/events/<org>/<connection>`.',
    },
    {
      matches: '^https?://[^\\s/?#]+(/[^\\s?#]*)?$',
      rule: 'must be an http or https URL without query, for example `https://hooks.example.com`',
    },
  )
  readonly publicUrl?: string;

  @Size({ about: 'Largest event body, for every connection that sets none of its own. Default: what each provider states, else 1 MiB.' })
  readonly bodyLimit?: string | number;

  @Size({ about: 'Largest tarball that may be uploaded.' })
  readonly uploadLimit: string | number = '1mb';

  @TextList(
    { about: 'Addresses or ranges of proxies whose `X-Forwarded-For` is believed; also `loopback`, `linklocal` and `uniquelocal`.' },
    {
      each: {
        matches: '^(loopback|linklocal|uniquelocal|[0-9A-Fa-f:.]+(/\\d{1,3})?)$',
        rule: 'must be an IP address, a range such as `10.0.0.0/8`, or `loopback`, `linklocal` or `uniquelocal`',
      },
    },
  )
  readonly trustedProxies: readonly string[] = [];

  @Text({ about: 'Name of this process among several on one database. Default: made at start.' })
  readonly replica?: string;

  @Flag({ about: 'Listen without TLS on an address that other machines can reach: only behind a proxy that adds TLS.' })
  readonly insecureHttp: boolean = false;
}
