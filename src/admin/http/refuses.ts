import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse } from '../../http/documented.js';
import { Problem } from './problem.dto.js';

const WHY: Readonly<Record<number, string>> = {
  400: 'The query or the body is not right.',
  401: 'No token, or a wrong one.',
  403: 'The role of the token is too low.',
  404: 'It does not exist, or belongs to another organisation.',
  409: 'The thing is in a state that does not allow this, or the key is in use.',
  413: 'The body is larger than this address takes.',
  415: 'The body is of another type than this address takes.',
  422: 'The Idempotency-Key was sent with another request before.',
  503: 'The database cannot be reached.',
};

/** The refusals that an address may answer with. */
export function Refuses(...statuses: readonly number[]): ClassDecorator & MethodDecorator {
  return applyDecorators(
    ApiExtraModels(Problem),
    ...statuses.map((status) =>
      ApiResponse({
        status,
        description: WHY[status] ?? '',
        content: { 'application/problem+json': { schema: { $ref: `#/components/schemas/${Problem.name}` } } },
      }),
    ),
  );
}
