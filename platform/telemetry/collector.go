package telemetry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// longestAnswer is as much as is read of what a collector answers.
const longestAnswer = 64 << 10

// collector implements otlptrace.Client: OTLP over HTTP, one attempt for each batch. The client that
// comes with the exporter links gRPC and its gateway, which are not used, and cost 2 MiB of memory.
type collector struct {
	address string
	headers map[string]string
	client  *http.Client
}

func newCollector(address string, headers map[string]string) *collector {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSHandshakeTimeout: exportTime, IdleConnTimeout: 90 * exportTime}

	return &collector{address: address, headers: headers, client: &http.Client{Timeout: exportTime, Transport: transport}}
}

// Start implements otlptrace.Client: there is nothing to open before the first batch.
func (*collector) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (c *collector) Stop(context.Context) error {
	c.client.CloseIdleConnections()

	return nil
}

// UploadTraces implements otlptrace.Client.
func (c *collector) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	// The same bytes as those of ExportTraceServiceRequest, whose package brings gRPC along.
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, value := range c.headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	answer, err := io.ReadAll(io.LimitReader(response.Body, longestAnswer))
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return err
	}

	return complaint(response, answer)
}

// complaint returns what the collector has against a batch.
func complaint(response *http.Response, answer []byte) error {
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answered %s: %.200s", response.Status, strings.TrimSpace(string(answer)))
	}
	if !strings.HasPrefix(response.Header.Get("Content-Type"), "application/x-protobuf") {
		return nil
	}
	// ExportTraceServiceResponse.partial_success: rejected_spans, error_message.
	partial, _ := field(answer, 1)
	_, rejected := field(partial, 1)
	message, _ := field(partial, 2)
	if rejected == 0 && len(message) == 0 {
		return nil
	}

	return fmt.Errorf("the collector rejected %d spans: %.200s", rejected, message)
}

// field returns a field of a message in the wire format, as bytes or as a number, nothing if it has none.
func field(message []byte, wanted protowire.Number) (text []byte, number uint64) {
	for len(message) > 0 {
		name, kind, length := protowire.ConsumeTag(message)
		if length < 0 {
			return nil, 0
		}
		message = message[length:]
		if name == wanted && kind == protowire.BytesType {
			text, length = protowire.ConsumeBytes(message)
		} else if name == wanted && kind == protowire.VarintType {
			number, length = protowire.ConsumeVarint(message)
		} else {
			length = protowire.ConsumeFieldValue(name, kind, message)
		}
		if length < 0 {
			return nil, 0
		}
		message = message[length:]
	}

	return text, number
}
