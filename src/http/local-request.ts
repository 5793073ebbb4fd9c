import type { FastifyRequest } from 'fastify';

const LOOPBACK = /^(?:::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/;
const FORWARDED = /^(?:forwarded|x-forwarded-.+|x-real-ip|via)$/;

/** Sent from this machine. A proxy on this machine is local too, and those whom it speaks for are not. */
export function isLocalRequest({ raw }: Pick<FastifyRequest, 'raw'>): boolean {
  const isForwarded = Object.keys(raw.headers).some((name) => FORWARDED.test(name));
  return !isForwarded && LOOPBACK.test(raw.socket.remoteAddress ?? '');
}
