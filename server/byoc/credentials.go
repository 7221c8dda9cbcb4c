package byoc

import (
	"errors"
	"net/http"

	"github.com/tuttinode/tutti/core/byoc"
)

// job reads a request's credentials. Its body is not read then.
func (s *Server) job(w http.ResponseWriter, r *http.Request) (*byoc.Job, error) {
	job, err := byoc.ParseJob(r.Header.Get(headerJob))
	if err == nil {
		err = s.o.Rules.CheckSender(job.Sender, job.Signed(), job.Sig)
	}
	if err == nil {
		return job, nil
	}
	w.Header().Set("Connection", "close")
	if errors.Is(err, byoc.ErrTimeout) {
		return nil, &refusal{http.StatusBadRequest, err.Error()}
	}
	return nil, errJob
}
