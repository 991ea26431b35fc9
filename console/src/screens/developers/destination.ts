import type { Json, JsonObject } from '../../model/types';
import { isObject } from '../../model/values';

const text = (value: Json | undefined) => (typeof value === 'string' ? value : '');
const afterLast = (value: string, mark: string) => value.slice(value.lastIndexOf(mark) + 1);

/** The destination of deliveries: the name of the service, and the place in it, e.g. a queue and its region. */
export interface DestinationText {
  service: string;
  place: string;
}

/** Reads a destination. Unknown ones are shown by their type. */
export function destinationText(value: Json | undefined): DestinationText {
  const one: JsonObject = isObject(value) ? value : {};
  switch (one.type) {
    case 'HTTP':
      return { service: 'HTTP', place: text(one.url) };
    case 'SQS':
      return { service: 'AWS SQS', place: `${afterLast(text(one.queueUrl), '/')} (${text(one.region)})` };
    case 'SNS':
      return { service: 'AWS SNS', place: afterLast(text(one.topicArn), ':') };
    case 'EventBridge':
      return { service: 'AWS EventBridge', place: `${text(one.accountId)} (${text(one.region)})` };
    case 'AWSLambda':
      return { service: 'AWS Lambda', place: afterLast(text(one.arn), ':') };
    case 'GoogleCloudPubSub':
      return { service: 'Google Pub/Sub', place: `${text(one.projectId)}/${text(one.topic)}` };
    case 'GoogleCloudFunction':
      return { service: 'Google Cloud Function', place: text(one.url) };
    case 'EventGrid':
      return { service: 'Azure Event Grid', place: text(one.uri) };
    case 'AzureServiceBus':
      return { service: 'Azure Service Bus', place: /Endpoint=([^;]+)/.exec(text(one.connectionString))?.[1] ?? '' };
    case 'ConfluentCloud':
      return { service: 'Confluent Cloud', place: `${text(one.topic)} (${text(one.bootstrapServer)})` };
    default:
      return { service: text(one.type), place: '' };
  }
}
