package fault

// Codes of AI runners and the servers behind url.
const (
	// RunnerUnreachable: no connection to the runner, or it was reset before the
	// answer began.
	RunnerUnreachable Code = "RunnerUnreachable"
	// RunnerStalled: the runner took the request and then said nothing.
	RunnerStalled Code = "RunnerStalled"
	// RunnerBroke: the runner ended the connection in the middle of an answer.
	RunnerBroke Code = "RunnerBroke"
	// RunnerBusy: the runner refuses at the moment: too many requests, or still loading.
	RunnerBusy Code = "RunnerBusy"
	// RunnerFailed: the runner answered with an error of its own.
	RunnerFailed Code = "RunnerFailed"
	// RunnerOutOfMemory: the runner's GPU memory did not suffice.
	RunnerOutOfMemory Code = "RunnerOutOfMemory"
	// RunnerAuth: the runner refuses our token.
	RunnerAuth Code = "RunnerAuth"
	// RunnerTLS: no TLS connection to the runner comes about, or TLS and plain HTTP are mixed up.
	RunnerTLS Code = "RunnerTLS"
	// RunnerModelMissing: the runner does not have the model.
	RunnerModelMissing Code = "RunnerModelMissing"
	// ServedModelUnlisted: a server that works does not list the requested name.
	ServedModelUnlisted Code = "ServedModelUnlisted"
	// RunnerGarbled: the runner's answer cannot be understood or is beyond all
	// bounds.
	RunnerGarbled Code = "RunnerGarbled"
	// OperationUnsupported: the model's runner cannot do what the request wants.
	OperationUnsupported Code = "OperationUnsupported"
	// LiveRunnerUnhealthy: a live runner's health address does not answer as it should.
	LiveRunnerUnhealthy Code = "LiveRunnerUnhealthy"
	// LiveRunnerLost: a live runner that registered itself sends no heartbeats any more.
	LiveRunnerLost Code = "LiveRunnerLost"
	// LiveRunnerFull: a live runner refused sessions because its slots are taken.
	LiveRunnerFull Code = "LiveRunnerFull"
	// LiveRunnerUnknown: a live runner was named that is not registered.
	LiveRunnerUnknown Code = "LiveRunnerUnknown"
	// LiveRunnerExited: the program or container of a managed live runner ended or could not be started.
	LiveRunnerExited Code = "LiveRunnerExited"
	// LiveRunnersInvalid: the live runners' file or addresses cannot be used.
	LiveRunnersInvalid Code = "LiveRunnersInvalid"
	// ModelPullFailed: a model server could not fetch the model that it was asked to fetch.
	ModelPullFailed Code = "ModelPullFailed"
)

// runnerRows are the conditions of AI runners and the servers behind url. Read-only.
var runnerRows = []Row{
	{
		Code: LiveRunnerUnhealthy, Class: Upstream,
		Cause: "A live runner does not answer on its `health_url` with the status that it should have. It gets no new " +
			"work, and its sessions have ended.",
		Remedy: "Run `curl -i` with its `health_url` from where the node runs; start the runner, or correct `health_url` " +
			"or " +
			"`healthy_status_code` in the file of `-liveRunnerConfig`.",
		Wire: "{detail}", Retryable: true,
	},
	{
		Code: LiveRunnerLost, Class: Upstream,
		Cause: "A live runner that had registered itself sent no heartbeat for 20 seconds. Its sessions have ended.",
		Remedy: "Look at the runner's log; it must send `POST /runners/heartbeat` every 5 seconds. It registers again with " +
			"the secret of `-orchSecret`.",
		Wire: "{detail}", Retryable: true,
	},
	{
		Code: LiveRunnerFull, Class: Busy,
		Cause: "All slots of a live runner are taken, and clients that wanted a session were refused in the last minute.",
		Remedy: "None needed for a moment. When it lasts, raise `capacity` of the runner if its machine has the power, or " +
			"register another one with the same `app`.",
		Wire: "{detail}", Retryable: true,
	},
	{
		Code: LiveRunnerUnknown, Class: NotFound,
		Cause:  "No live runner of that label or id is registered.",
		Remedy: "`tutti_cli runners list` has the names.",
	},
	{
		Code: LiveRunnerExited, Class: Upstream,
		Cause: "The program or container of a live runner that the node starts has ended, or could not be started. It is " +
			"started again after a while; its sessions have ended.",
		Remedy: "Read its last lines in the message and in the node's log; run its `command` by hand, or correct the entry " +
			"in the file of `-liveRunnerConfig`.",
		Wire: "{detail}", Retryable: true,
	},
	{
		Code: LiveRunnersInvalid, Class: Config,
		Cause:  "The file of `-liveRunnerConfig`, or an address for live runners, cannot be used; the message says why.",
		Remedy: "Correct the entry that the message names; `docs/configuration.md` has the options.",
	},
	{
		Code: RunnerUnreachable, Class: Upstream,
		Symptom: "connection refused",
		Cause: "No connection to the model's runner, or it closed the connection before it answered: it is not " +
			"running, still starting, or `url` names another host or port.",
		Remedy: "Open `<url>/health` from where the node runs; correct `url` in the models file; look at the " +
			"runner's own log.",
		Wire: "{detail}", Retryable: true,
	},
	{
		Code: RunnerStalled, Class: Upstream,
		Cause: "The model's runner took the request and then sent nothing for minutes: its process is stopped, " +
			"its GPU hangs, or it has far more requests than it can serve.",
		Remedy: "Look at the runner's log and at `nvidia-smi`, restart it; lower `capacity` in the models file " +
			"if it is only overloaded.",
		Wire: "{detail}", Retryable: true,
	},
	{
		Code: RunnerBroke, Class: Upstream,
		Cause: "The model's runner ended the connection in the middle of an answer: it crashed, was killed or " +
			"restarted.",
		Remedy: "Look at the last lines of the runner's log; a kernel message about memory (`dmesg`) means that " +
			"the machine's memory is too small.",
		Wire: "{detail}", Retryable: true,
	},
	{
		Code: RunnerBusy, Class: Busy,
		Cause: "The model's runner refuses for the moment: it has as many requests as it takes (429), or its " +
			"model is still loading (503).",
		Remedy: "None for a single one. When it repeats, set `capacity` in the models file to what the runner " +
			"takes at once.",
		Wire: "{detail}", Retryable: true,
	},
	{
		Code: RunnerFailed, Class: Upstream,
		Cause:  "The model's runner answered with an error of its own, which the detail quotes.",
		Remedy: "Look at the runner's log for the same moment; restart it when the error stays.",
		Wire:   "{detail}", Retryable: true,
	},
	{
		Code: RunnerOutOfMemory, Class: Upstream,
		Symptom: "GPU out of memory",
		Cause:   "The GPU memory did not suffice for the model or for this request.",
		Remedy: "Set other models on the same GPU to `warm: false`, lower `MAX_MODEL_LEN` or " +
			"`GPU_MEMORY_UTILIZATION`, use `USE_8BIT` or another optimization flag, or a smaller model.",
		Wire: "{detail}", Retryable: true,
	},
	{
		Code: RunnerAuth, Class: Upstream,
		Cause: "The model's runner refuses the node's token (401 or 403).",
		Remedy: "Set `token` of the model's entry in the models file to the runner's key: `AUTH_TOKEN` of a " +
			"runner container, `--api-key` of vLLM and llama.cpp.",
		Wire: "{detail}", Retryable: true,
	},
	{
		Code: RunnerTLS, Class: Upstream,
		Cause: "The node makes no TLS connection to the model's server; the detail says why: the authority of its " +
			"certificate is unknown, the certificate has expired or names another host, or one side speaks plain HTTP.",
		Remedy: "Unknown authority: run `openssl s_client -connect HOST:PORT -showcerts </dev/null | sed -n " +
			"'/BEGIN/,/END/p' >runner.pem`, set `ca` of the runner's entry to that file and run `tutti_cli reload` (restart " +
			"the node for a live runner). " +
			"Other host: write a name into `url` that `openssl x509 -in runner.pem -noout -ext subjectAltName` shows. " +
			"Expired: renew the server's certificate. Plain HTTP or TLS: begin `url` with `http://` or `https://` as " +
			"the detail says.",
		Wire: "{detail}", Retryable: true,
	},
	{
		Code: RunnerModelMissing, Class: Upstream,
		Cause: "The runner does not have the model, or has it under another name.",
		Remedy: "Set `served_model` in the models file to one of the names that `<url>/v1/models` lists, or load " +
			"the model there (`ollama pull`).",
		Wire: "{detail}", Retryable: true,
	},
	{
		Code: ServedModelUnlisted, Class: Upstream,
		Cause: "The model server takes jobs, but does not list the name in `served_model`. Some servers take any " +
			"name, and answer with another model than the one that the network is offered.",
		Remedy: "Run `curl <url>/v1/models` and set `served_model` in the models file to a name that it lists, or " +
			"start the server with that name (`--alias` of llama.cpp, `--served-model-name` of vLLM); then run " +
			"`tutti_cli reload`. It clears by itself once the name is listed.",
	},
	{
		Code: RunnerGarbled, Class: Upstream,
		Cause: "The answer from the model's runner cannot be understood, or is longer than any answer should " +
			"be: something else listens at `url`.",
		Remedy: "Check that `url` in the models file is that of an AI runner or an OpenAI-compatible server, and " +
			"not of a web page or a proxy in front of it.",
		Wire: "{detail}", Retryable: true,
	},
	{
		Code: OperationUnsupported, Class: BadRequest,
		Cause: "The model's runner cannot do what the request wants: runners of the network's contract only chat, " +
			"and a server may offer completions or embeddings or not.",
		Remedy: "Ask a model for what `/v1/models` lists for it; serve it by a server that can do more.",
		Wire:   "{detail}", Retryable: true,
	},
	{
		Code: ModelPullFailed, Class: Upstream,
		Cause: "A model server could not fetch a model, or it is of a kind that fetches none on request: of the " +
			"servers behind a `url`, Ollama does.",
		Remedy: "Set `served_model` in the models file to a name that the server's library has, or load the " +
			"model into the server by hand (`ollama pull NAME`, vLLM's `--model`); then run `tutti_cli " +
			"models pull MODEL` again.",
		Wire: "{detail}", Retryable: true,
	},
}
