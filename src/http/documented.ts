import type * as Swagger from '@nestjs/swagger';

type Decorator =
  | 'ApiAcceptedResponse'
  | 'ApiBearerAuth'
  | 'ApiBody'
  | 'ApiCreatedResponse'
  | 'ApiExcludeController'
  | 'ApiExcludeEndpoint'
  | 'ApiExtraModels'
  | 'ApiHeader'
  | 'ApiNoContentResponse'
  | 'ApiOkResponse'
  | 'ApiOperation'
  | 'ApiProduces'
  | 'ApiProperty'
  | 'ApiPropertyOptional'
  | 'ApiResponse'
  | 'ApiServiceUnavailableResponse'
  | 'ApiTags';

type Factory = (...options: readonly unknown[]) => (...target: readonly unknown[]) => void;

const waiting: ((swagger: Readonly<Record<Decorator, Factory>>) => void)[] = [];

// Swagger is a sixth of all modules of a server that nobody may ever ask for its documentation: it is loaded when somebody does.
export const ApiAcceptedResponse = later('ApiAcceptedResponse');
export const ApiBearerAuth = later('ApiBearerAuth');
export const ApiBody = later('ApiBody');
export const ApiCreatedResponse = later('ApiCreatedResponse');
export const ApiExcludeController = later('ApiExcludeController');
export const ApiExcludeEndpoint = later('ApiExcludeEndpoint');
export const ApiExtraModels = later('ApiExtraModels');
export const ApiHeader = later('ApiHeader');
export const ApiNoContentResponse = later('ApiNoContentResponse');
export const ApiOkResponse = later('ApiOkResponse');
export const ApiOperation = later('ApiOperation');
export const ApiProduces = later('ApiProduces');
export const ApiProperty = later('ApiProperty');
export const ApiPropertyOptional = later('ApiPropertyOptional');
export const ApiResponse = later('ApiResponse');
export const ApiServiceUnavailableResponse = later('ApiServiceUnavailableResponse');
export const ApiTags = later('ApiTags');

/** Swagger, with everything decorated that was decorated so far. */
export async function loadSwagger(): Promise<typeof Swagger> {
  const swagger = await import('@nestjs/swagger');
  for (const decorate of waiting.splice(0)) decorate(swagger as unknown as Readonly<Record<Decorator, Factory>>);
  return swagger;
}

/** The decorator of that name, put down to be applied by `loadSwagger`, in order. */
function later<Name extends Decorator>(name: Name): (typeof Swagger)[Name] {
  const factory: Factory =
    (...options) =>
    (...target) =>
      void waiting.push((swagger) => swagger[name](...options)(...target));
  return factory as unknown as (typeof Swagger)[Name];
}
