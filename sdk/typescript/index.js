export { Postrider, PostriderError } from './client.js';
