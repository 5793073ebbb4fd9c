import { ApiProperty, ApiPropertyOptional } from '../../http/documented.js';
import { Text, Whole } from './fields.js';

export class ProblemFault {
  @Text('Dotted path of the wrong value; empty for the whole.')
  path!: string;

  @Text('What is wrong with it.')
  message!: string;
}

/** RFC 9457. */
export class Problem {
  @Text('A stable URI for the code.')
  type!: string;

  @Text('The code in words.')
  title!: string;

  @Whole('The HTTP status.')
  status!: number;

  @ApiPropertyOptional({ type: String, description: 'What happened, for people.' })
  detail?: string;

  @ApiProperty({ type: String, description: 'A stable word for programs.', example: 'not_found' })
  code!: string;

  @Text("Names this one answer; it is the request's id in the log.")
  instance!: string;

  @ApiPropertyOptional({ type: [ProblemFault], description: 'Each wrong value of a query or body.' })
  errors?: ProblemFault[];
}
