package transcoders

import (
	"errors"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

// overlap is how long a replaced registration stays open, so that its worker gets the
// confirmation of the new one first.
const overlap = 500 * time.Millisecond

// RegisterTranscoder serves a transcoder's registration until it ends. Its errors never have
// the status Canceled, after which transcoders stop permanently.
func (s *Service) RegisterTranscoder(
	req *rpc.RegisterRequest, stream grpc.ServerStreamingServer[rpc.NotifySegment],
) error {
	conn := remote.StreamConnOf(stream.Context())
	if f := s.checkRegistration(req); f != nil {
		s.refusals.Record(conn.Addr(), f)
		return errors.New(fault.Wire(f))
	}
	id := remote.NewIdentity(req.GetNode(), req.GetWorker(), req.GetInstance(), conn.Addr())
	w, reg, err := s.register(id, req, conn)
	if errors.Is(err, errDuplicate) {
		s.opt.Log.Debug("registration of a transcoder not accepted", "worker", id.Name, "from", id.Addr, "why", err.Error())
		return status.Error(codes.AlreadyExists, err.Error())
	}
	if err != nil {
		s.opt.Log.Warn("registration of a transcoder not accepted", "worker", id.Name, "from", id.Addr, fault.Attr(err))
		return status.Error(codes.Unavailable, fault.Wire(err))
	}
	conn.KeepOpen()
	if id.IsTutti() {
		// Without it the worker treats us as another node, which works too.
		_ = stream.SendHeader(metadata.Pairs(remote.NodeMetadata, remote.Node(s.opt.Version), remote.RegistrationMetadata,
			w.registrationID))
	}
	sent := w.outbox.Serve(stream, conn, reg.stop)
	return w.finishStream(stream, reg, sent)
}

// checkRegistration is why a registration is refused permanently, nil when it is not.
func (s *Service) checkRegistration(req *rpc.RegisterRequest) *fault.Fault {
	const op = "register transcoder"
	switch {
	case !s.opt.Secrets.Match(req.GetSecret()):
		return fault.New(fault.RemoteSecretWrong, op, "")
	case req.GetCapacity() <= 0:
		return fault.New(fault.RemoteZeroCapacity, op, "")
	}
	return nil
}

// finishStream ends a stream after its last message.
func (w *worker) finishStream(stream grpc.ServerStream, reg *registrationStream, sent error) error {
	if sent != nil && w.hasStream(reg) {
		w.markLost(fault.New(fault.RemoteWorkerLost, "serve registration", w.name+": the connection broke or was closed"))
	}
	if f := w.lossFor(reg); f != nil {
		if fault.CodeOf(f) == fault.RemoteRegistration {
			return nil
		}
		return status.Error(codes.Unavailable, f.Detail)
	}
	// Another registration of the same process replaced it.
	wait := time.NewTimer(overlap)
	defer wait.Stop()
	select {
	case <-stream.Context().Done():
	case <-w.gone:
	case <-wait.C:
	}
	return nil
}

func stoppingFault() *fault.Fault {
	return fault.New(fault.RemoteRegistration, "register transcoder", "the orchestrator is stopping")
}
