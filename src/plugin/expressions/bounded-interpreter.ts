import { type compile, type JSONValue, TreeInterpreter } from '@jmespath-community/jmespath';
import { Budget, isRecord } from './budget.js';
import { installFunctions } from './functions.js';

export type ExpressionNode = ReturnType<typeof compile>;
type Interpreter = typeof TreeInterpreter;
type Value = Parameters<Interpreter['visit']>[1];

// The package exports an interpreter but not its class, and ours must not share that one's function table.
const LibraryInterpreter = TreeInterpreter.constructor as unknown as new () => Interpreter;

/** The library's interpreter with its work counted, and with own properties only. Not re-entrant: evaluation is synchronous. */
class BoundedInterpreter extends LibraryInterpreter {
  private readonly budget = new Budget();

  constructor() {
    super();
    installFunctions(this.runtime, {
      budget: this.budget,
      evaluate: (expression, value) => this.visit(expression as unknown as ExpressionNode, value as Value),
    });
  }

  evaluate(node: ExpressionNode, payload: unknown): unknown {
    this.budget.refill();
    return this.search(node, payload as JSONValue);
  }

  /** Every visit of a node comes through here; what a node costs beyond the visits of its children is spent here. */
  override visit(node: ExpressionNode, value: Value): ReturnType<Interpreter['visit']> {
    this.budget.spend(1);
    switch (node.type) {
      case 'Field':
        return ownField(value, node.name);
      case 'Slice':
        this.budget.spend(typeof value === 'string' || Array.isArray(value) ? value.length : 0);
        return super.visit(node, value);
      case 'Flatten': {
        const list = this.visit(node.child, value);
        this.budget.spendShallow(list);
        return Array.isArray(list) ? list.flat() : null;
      }
      case 'Comparator':
        if (node.name !== 'EQ' && node.name !== 'NE') return super.visit(node, value);
        return this.equal(this.visit(node.left, value), this.visit(node.right, value)) === (node.name === 'EQ');
      default:
        return super.visit(node, value);
    }
  }

  private equal(first: unknown, second: unknown): boolean {
    this.budget.spend(1);
    if (typeof first === 'string' && typeof second === 'string') {
      this.budget.spendText(Math.min(first.length, second.length));
      return first === second;
    }
    if (Array.isArray(first) && Array.isArray(second)) {
      return first.length === second.length && first.every((element, index) => this.equal(element, second[index]));
    }
    return isRecord(first) && isRecord(second) ? this.sameFields(first, second) : first === second;
  }

  private sameFields(first: Record<string, unknown>, second: Record<string, unknown>): boolean {
    this.budget.spendShallow(first);
    this.budget.spendShallow(second);
    const names = Object.keys(first);
    return (
      names.length === Object.keys(second).length &&
      names.every((name) => Object.hasOwn(second, name) && this.equal(first[name], second[name]))
    );
  }
}

/** The cast holds because payloads are parsed JSON, and so is whatever an expression makes of them. */
function ownField(value: unknown, name: string): JSONValue {
  return isRecord(value) && Object.hasOwn(value, name) ? ((value[name] ?? null) as JSONValue) : null;
}

export const interpreter = new BoundedInterpreter();
