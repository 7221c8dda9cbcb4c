package orchestrator

import (
	"crypto/tls"
	"net/http"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

// isWorkerPath reports whether a request opens the stream of a worker.
func isWorkerPath(path string) bool {
	return path == rpc.Transcoder_RegisterTranscoder_FullMethodName || path == rpc.AIWorker_RegisterAIWorker_FullMethodName
}

// workerRoutes serves the streams of workers, which have no request timeout, and requires a
// certificate if the operator configured it.
func (s *Server) workerRoutes() http.Handler {
	var endpoints []remote.Endpoint
	for _, d := range s.opt.WorkerRoutes {
		endpoints = append(endpoints, d.Endpoint())
	}
	streams := remote.Streams(s.grpc, endpoints...)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.workerCA.Load() == nil || certified(r) {
			streams.ServeHTTP(w, r)
			return
		}
		// The text at which every worker stops reconnecting; ours detect by the status that
		// the cause is not the secret (16, unauthenticated).
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set(http.TrailerPrefix+"Grpc-Status", "16")
		w.Header().Set(http.TrailerPrefix+"Grpc-Message", "invalid secret")
		s.refusals.Record(r.RemoteAddr, fault.New(fault.WorkerCertificateRefused, "let a worker in",
			"it shows no certificate of -workerCA"))
	})
}

// certified reports whether the peer has a certificate of the workers' authorities.
func certified(r *http.Request) bool { return r.TLS != nil && len(r.TLS.VerifiedChains) > 0 }

// workersOnly requires a certificate for the paths of results, if the operator configured it.
func (s *Server) workersOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		results := strings.HasPrefix(r.URL.Path, "/transcodeResults") || strings.HasPrefix(r.URL.Path, "/aiResults")
		if results && s.workerCA.Load() != nil && !certified(r) {
			http.Error(w, "Unauthorized", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// tls returns the listener's configuration. It verifies certificates of workers; gateways send
// none.
func (s *Server) tls() *tls.Config {
	c := s.opt.Cert.Config()
	c.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		ca := s.workerCA.Load()
		if ca == nil {
			return nil, nil
		}
		asking := c.Clone()
		asking.ClientAuth, asking.ClientCAs = tls.VerifyClientCertIfGiven, ca
		return asking, nil
	}
	return c
}
