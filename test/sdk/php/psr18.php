<?php

// The smallest client of PSR-18 and PSR-17, with the parts of their interfaces that the SDK uses, for a test without packages.

namespace Psr\Http\Client {
    interface ClientExceptionInterface extends \Throwable
    {
    }
    interface ClientInterface
    {
        public function sendRequest(\Psr\Http\Message\RequestInterface $request): \Psr\Http\Message\ResponseInterface;
    }
}

namespace Psr\Http\Message {
    interface RequestInterface
    {
    }
    interface ResponseInterface
    {
    }
    interface StreamInterface
    {
    }
    interface RequestFactoryInterface
    {
        public function createRequest(string $method, $uri): RequestInterface;
    }
    interface StreamFactoryInterface
    {
        public function createStream(string $content = ''): StreamInterface;
    }
}

namespace {
    use Psr\Http\Client\ClientExceptionInterface;
    use Psr\Http\Client\ClientInterface;
    use Psr\Http\Message;

    final class TinyFailure extends \RuntimeException implements ClientExceptionInterface
    {
    }

    final class TinyStream implements Message\StreamInterface
    {
        public function __construct(public string $text)
        {
        }

        public function __toString(): string
        {
            return $this->text;
        }
    }

    final class TinyRequest implements Message\RequestInterface
    {
        public array $headers = [];
        public string $body = '';

        public function __construct(public string $method, public string $uri)
        {
        }

        public function withHeader(string $name, $value): static
        {
            $copy = clone $this;
            $copy->headers[$name] = $value;
            return $copy;
        }

        public function withBody(Message\StreamInterface $body): static
        {
            $copy = clone $this;
            $copy->body = (string) $body;
            return $copy;
        }
    }

    final class TinyResponse implements Message\ResponseInterface
    {
        public function getStatusCode(): int
        {
            return 200;
        }

        public function getHeaders(): array
        {
            return ['Content-Type' => ['application/json']];
        }

        public function getHeaderLine(string $name): string
        {
            return implode(', ', $this->getHeaders()[$name] ?? []);
        }

        public function getBody(): Message\StreamInterface
        {
            return new TinyStream('"done"');
        }
    }

    /** Records the last request, answers all of them alike. */
    final class TinyClient implements ClientInterface, Message\RequestFactoryInterface, Message\StreamFactoryInterface
    {
        public array $seen = [];
        public bool $fails = false;

        public function sendRequest(Message\RequestInterface $request): Message\ResponseInterface
        {
            if ($this->fails) {
                throw new TinyFailure('no route');
            }
            $this->seen = get_object_vars($request);
            $this->seen = array_merge(array_flip(['method', 'uri', 'headers', 'body']), $this->seen);
            return new TinyResponse();
        }

        public function createRequest(string $method, $uri): Message\RequestInterface
        {
            return new TinyRequest($method, $uri);
        }

        public function createStream(string $content = ''): Message\StreamInterface
        {
            return new TinyStream($content);
        }
    }
}
