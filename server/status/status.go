// Package status maps faults to HTTP and gRPC statuses, for every listener of the node.
//
// Texts come from core/fault: fault.Wire for peers of the network, fault.Public for clients
// of our own APIs. Only servers call this package, when they answer.
package status

import (
	"net/http"

	"google.golang.org/grpc/codes"

	"github.com/tuttinode/tutti/core/fault"
)

// clientClosed is the status that proxies log when the client closed the connection first.
const clientClosed = 499

// byCode are the codes whose HTTP status differs from their class's. Read-only.
var byCode = map[fault.Code]int{
	fault.Canceled:         clientClosed,
	fault.DeadlineExceeded: http.StatusGatewayTimeout,

	fault.PushTooLarge: http.StatusRequestEntityTooLarge,
	fault.PushSlow:     http.StatusRequestTimeout,
	// The existing gateway's status for input that no orchestrator can transcode.
	fault.SegmentNotTranscodable: http.StatusUnprocessableEntity,
	fault.InputUnreadable:        http.StatusUnprocessableEntity,
	fault.InputCodecUnsupported:  http.StatusUnprocessableEntity,
	fault.InputNoVideo:           http.StatusUnprocessableEntity,
	fault.InputTooLong:           http.StatusUnprocessableEntity,
	fault.NotOffered:             http.StatusUnprocessableEntity,
	fault.InputAudioUnsupported:  http.StatusUnprocessableEntity,
	fault.AttemptsExhausted:      http.StatusUnprocessableEntity,
	fault.NoSessionsAvailable:    http.StatusServiceUnavailable,
	fault.SegmentLate:            http.StatusGatewayTimeout,

	// OpenAI's clients retry on these statuses.
	fault.RateLimited:        http.StatusTooManyRequests,
	fault.TokenRateLimited:   http.StatusTooManyRequests,
	fault.ConcurrencyLimited: http.StatusTooManyRequests,
	fault.ModelRateLimited:   http.StatusTooManyRequests,
	fault.KeyWebhookFailed:   http.StatusServiceUnavailable,
	fault.GuardFailed:        http.StatusServiceUnavailable,

	fault.MethodNotAllowed: http.StatusMethodNotAllowed,
	fault.RequestTooLarge:  http.StatusRequestEntityTooLarge,
	fault.JobTooLarge:      http.StatusRequestEntityTooLarge,
	fault.PicturesTooLarge: http.StatusRequestEntityTooLarge,
	fault.RequestEncoded:   http.StatusUnsupportedMediaType,
	fault.RequestSlow:      http.StatusRequestTimeout,
	fault.AnswerNotTaken:   http.StatusRequestTimeout,
	// Between gateway and orchestrator only; a client has nothing to pay.
	fault.TicketParamsStale:         http.StatusServiceUnavailable,
	fault.TicketNonceRefused:        http.StatusServiceUnavailable,
	fault.InsufficientSenderReserve: http.StatusServiceUnavailable,
	fault.OwnDepositEmpty:           http.StatusServiceUnavailable,
	fault.OwnReserveEmpty:           http.StatusServiceUnavailable,
	fault.OwnFundsUnlocking:         http.StatusServiceUnavailable,
	fault.TicketEVHigh:              http.StatusServiceUnavailable,
	fault.TicketTotalEVHigh:         http.StatusServiceUnavailable,
	fault.TicketFaceValueHigh:       http.StatusServiceUnavailable,
	fault.PriceRaised:               http.StatusServiceUnavailable,
	fault.PaidWorkMissing:           http.StatusServiceUnavailable,
	fault.NoOrchestratorReachable:   http.StatusServiceUnavailable,
	fault.JobLate:                   http.StatusGatewayTimeout,
	fault.RequestTimedOut:           http.StatusGatewayTimeout,

	fault.AdminNeedsPost:     http.StatusMethodNotAllowed,
	fault.AdminTokenTries:    http.StatusTooManyRequests,
	fault.TransactionPending: http.StatusGatewayTimeout,
	// The existing node's admin tool expects this off-chain.
	fault.MissingETHClient: http.StatusInternalServerError,
}

// HTTP returns the status of err on our own APIs: gateway and admin.
func HTTP(err error) int {
	code := fault.CodeOf(err)
	if s, ok := byCode[code]; ok {
		return s
	}
	switch code.Class() {
	case fault.BadRequest:
		return http.StatusBadRequest
	case fault.Unauthenticated:
		return http.StatusUnauthorized
	case fault.Forbidden:
		return http.StatusForbidden
	case fault.NotFound:
		return http.StatusNotFound
	case fault.Busy:
		return http.StatusServiceUnavailable
	case fault.Payment:
		return http.StatusPaymentRequired
	case fault.Upstream:
		return http.StatusBadGateway
	}
	return http.StatusInternalServerError
}

// byProtocol are the codes whose status the network's protocol defines. Read-only.
var byProtocol = map[fault.Code]int{
	fault.PaymentEncoding:    http.StatusPaymentRequired,
	fault.PaymentMessage:     http.StatusPaymentRequired,
	fault.OrchestratorCapped: http.StatusForbidden,
	fault.Draining:           http.StatusForbidden,
	// A gateway tries another orchestrator, as for a full node.
	fault.NoTranscoders:       http.StatusForbidden,
	fault.NoCapableTranscoder: http.StatusForbidden,
	fault.DeviceDrained:       http.StatusForbidden,
	fault.InputFetchFailed:    http.StatusBadRequest,
	fault.SegmentUnreadable:   http.StatusInternalServerError,
	fault.ReplyTermsFailed:    http.StatusInternalServerError,
	fault.LiveSessionExists:   http.StatusConflict,
	// As for a runner without capacity: it may have a price later.
	fault.LiveRunnerPriceUnavailable: http.StatusServiceUnavailable,
}

// Protocol returns the status of err on the network's own HTTP routes (/segment,
// /payment, /stream), as unmodified gateways know it.
func Protocol(err error) int {
	code := fault.CodeOf(err)
	if s, ok := byProtocol[code]; ok {
		return s
	}
	if code.Class() == fault.Upstream {
		return http.StatusServiceUnavailable
	}
	return peerStatus(code.Class())
}

// byJob are the codes with a specific status on AI routes. Read-only.
var byJob = map[fault.Code]int{
	fault.PaymentEncoding:  http.StatusPaymentRequired,
	fault.PaymentMessage:   http.StatusPaymentRequired,
	fault.JobTooLarge:      http.StatusRequestEntityTooLarge,
	fault.PicturesTooLarge: http.StatusRequestEntityTooLarge,
	fault.ArtifactsFull:    http.StatusInternalServerError,
	fault.Canceled:         clientClosed,
}

// Job returns the status of err on the network's AI routes (/llm and the other
// pipelines), as unmodified gateways know it: whatever goes wrong once a job
// runs is 500.
func Job(err error) int {
	code := fault.CodeOf(err)
	if s, ok := byJob[code]; ok {
		return s
	}
	return peerStatus(code.Class())
}

// peerStatus returns the status of a class for unmodified gateways: they have no credentials, and
// expect 400 for every refused payment.
func peerStatus(c fault.Class) int {
	switch c {
	case fault.BadRequest, fault.Payment:
		return http.StatusBadRequest
	case fault.Unauthenticated, fault.Forbidden:
		return http.StatusForbidden
	case fault.NotFound:
		return http.StatusNotFound
	case fault.Busy:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// Push returns the status of a segment that a gateway refused or that failed. The network's
// clients distinguish bad input (422, also when every attempt failed) from a gateway
// without orchestrators (503); anything else is 500.
func Push(code fault.Code) int {
	switch code {
	case fault.PushTooLarge:
		return http.StatusRequestEntityTooLarge
	case fault.PushSlow:
		return http.StatusRequestTimeout
	case fault.StreamDenied, fault.PushOff:
		return http.StatusForbidden
	case fault.NoSessionsAvailable, fault.PushesFull, fault.StreamsFull, fault.Draining,
		fault.StreamHookFailed, fault.Canceled:
		// Canceled is read only when the gateway ends before the segment did.
		return http.StatusServiceUnavailable
	case fault.PushPath, fault.PushHeader, fault.PushConfiguration, fault.PushEmpty, fault.PushBroken,
		fault.InputCodecUnsupported, fault.InputUnreadable, fault.InputNoVideo, fault.InputTooLong,
		fault.InputAudioUnsupported, fault.SegmentNotTranscodable, fault.AttemptsExhausted,
		fault.InvalidProfiles, fault.TranscoderInvalidResolution, fault.TranscoderUnrecognizedFormat,
		fault.TranscoderUnrecognizedProfile, fault.TranscoderInvalidGOP:
		return http.StatusUnprocessableEntity
	}
	switch code.Class() {
	case fault.BadRequest:
		return http.StatusUnprocessableEntity
	case fault.Unauthenticated:
		return http.StatusUnauthorized
	case fault.Forbidden:
		return http.StatusForbidden
	}
	return http.StatusInternalServerError
}

// GRPC returns the status code of err on gRPC services of our own. The network's
// services answer with plain errors, which are codes.Unknown: there only the
// text counts.
func GRPC(err error) codes.Code {
	switch fault.CodeOf(err) {
	case fault.Canceled:
		return codes.Canceled
	case fault.DeadlineExceeded:
		return codes.DeadlineExceeded
	}
	switch fault.ClassOf(err) {
	case fault.BadRequest:
		return codes.InvalidArgument
	case fault.Unauthenticated:
		return codes.Unauthenticated
	case fault.Forbidden:
		return codes.PermissionDenied
	case fault.NotFound:
		return codes.NotFound
	case fault.Busy:
		return codes.ResourceExhausted
	case fault.Payment, fault.Config:
		return codes.FailedPrecondition
	case fault.Upstream:
		return codes.Unavailable
	}
	return codes.Internal
}
