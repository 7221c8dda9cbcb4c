// Package byoc serves capabilities that are no pipelines of the network (BYOC: bring your own container) on a gateway:
// requests that an orchestrator's worker answers, and streams that it works on for minutes. An application describes a
// job in the header Livepeer; the gateway asks orchestrators for terms, signs the job, pays by the second, and passes
// the answer on. When one orchestrator fails the next one gets the job.
//
// The media of streams is moved by server/gateway/live, payments are made by server/gateway/upstream. Its caller is the
// gateway's listener.
package byoc
