package fault

// Codes of BYOC on a gateway.
const (
	// CapabilityJobInvalid (bad request): the description of a job, or of a stream, cannot be used.
	CapabilityJobInvalid Code = "CapabilityJobInvalid"
	// CapabilityNotOffered (busy): no orchestrator that answers has a free slot for the capability.
	CapabilityNotOffered Code = "CapabilityNotOffered"
	// CapabilityStreamExists (bad request): a stream with this id runs.
	CapabilityStreamExists Code = "CapabilityStreamExists"
	// CapabilityNoData (busy): a stream has no channel for data.
	CapabilityNoData Code = "CapabilityNoData"
)

// byocGatewayRows are the conditions of BYOC on a gateway. Read-only.
var byocGatewayRows = []Row{
	{
		Code: CapabilityJobInvalid, Class: BadRequest,
		Cause: "A request below `/process/` has no header `Livepeer` that describes its job, or one that cannot be " +
			"used, or a body that does not fit; the detail says what is wrong.",
		Remedy: "Send `Livepeer:` with the base64 of `{\"request\":\"{}\",\"parameters\":\"{}\",\"capability\":\"NAME\"," +
			"\"timeout_seconds\":30}`; `request` and `parameters` are JSON objects, written as text.",
	},
	{
		Code: CapabilityNotOffered, Class: Busy,
		Cause: "Orchestrators answered, and none of them has a free slot for the capability: it is not registered " +
			"there, or all its slots are in use, or the job's own filter leaves none.",
		Remedy: "Check the capability's name, and on the orchestrators that its worker is registered; try again later.",

		Retryable: true,
	},
	{
		Code: CapabilityStreamExists, Class: BadRequest,
		Cause:  "A stream is to begin with the name and id of one that runs.",
		Remedy: "Stop the other one first (`POST /process/stream/ID/stop`), or leave `stream_id` out.",
	},
	{
		Code: CapabilityNoData, Class: Busy,
		Cause: "A client reads the data of a stream that has none: it was begun without `enable_data_output`, or as " +
			"many clients as may read it already.",
		Remedy: "Begin the stream with `\"enable_data_output\": true` in the job's parameters.",
	},
}
