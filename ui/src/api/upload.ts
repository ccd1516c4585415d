// Uploads a file to the server, which streams it to disk, and reports progress.
import { publicPath } from './base-path.ts';
import { ApiFault, renewed } from './call.ts';

/** Resolves to the id of the upload. @param onProgress gets the share sent, 0 to 1 @throws ApiFault */
export async function upload(file: File, onProgress: (share: number) => void): Promise<string> {
  try {
    return await uploadOnce(file, onProgress);
  } catch (error) {
    if (!(error instanceof ApiFault) || error.status !== 401 || !(await renewed())) throw error;
    return uploadOnce(file, onProgress);
  }
}

function uploadOnce(file: File, onProgress: (share: number) => void): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  // fetch does not report upload progress.
  const request = new XMLHttpRequest();
  request.open('POST', publicPath(`/upload?name=${encodeURIComponent(file.name)}`));
  request.setRequestHeader('content-type', 'application/octet-stream');
  request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
  request.onerror = () => reject(new ApiFault(0, '', 0));
  request.onload = () => {
    const answer = read(request.responseText);
    if (request.status === 200 && answer.id) resolve(answer.id);
    else reject(new ApiFault(answer.code ?? 0, answer.error ?? '', request.status, answer.text));
  };
  request.send(file);
  return promise;
}

type Answer = { id?: string; error?: string; code?: number; text?: ApiFault['text'] };

function read(text: string): Answer {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return { error: text.slice(0, 200) };
  }
}
