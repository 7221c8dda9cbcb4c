package fault

// What applications of OpenAI's batch API can ask for and not get. Class BadRequest unless said
// otherwise.
const (
	// BatchesOff (class NotFound): the gateway keeps no files and runs no batches.
	BatchesOff Code = "BatchesOff"
	// BatchesNeedKey: files and batches belong to a key that the gateway keeps itself.
	BatchesNeedKey Code = "BatchesNeedKey"
	// FileUnknown (class NotFound): the key has no such file.
	FileUnknown Code = "FileUnknown"
	// FileInUse: a batch that has not ended reads the file.
	FileInUse Code = "FileInUse"
	// BatchUnknown (class NotFound): the key has no such batch.
	BatchUnknown Code = "BatchUnknown"
	// BatchEnded: a batch that has ended is to be canceled.
	BatchEnded Code = "BatchEnded"
	// BatchElsewhere (class Busy, retryable): the previous process still has the batch.
	BatchElsewhere Code = "BatchElsewhere"
	// BatchStorageFull: the storage of the key or of the gateway is used.
	BatchStorageFull Code = "BatchStorageFull"
	// BatchStoreFailed (class Internal): a file or a batch cannot be read or written.
	BatchStoreFailed Code = "BatchStoreFailed"
)

// batchRows are the conditions of files and batches. Read-only.
var batchRows = []Row{
	{
		Code: BatchesOff, Class: NotFound,
		Cause:  "The gateway keeps no files and runs no batches: its operator has given them no storage.",
		Remedy: "Start the gateway with `-aiBatchStorage 10GB`, or send the requests one by one.",
	},
	{
		Code: BatchesNeedKey, Class: BadRequest,
		Cause: "Files and batches belong to an API key, whose limits their requests count for while the client is " +
			"gone. The gateway has no keys, or only the operator's webhook knows this one.",
		Remedy: "Have the operator make a key: `tutti key create -name NAME`.",
	},
	{
		Code: FileUnknown, Class: NotFound,
		Cause:  "The API key has no file with this ID: another key has it, it was deleted, or its time was over.",
		Remedy: "List the files of the key with `GET /v1/files`, or upload the file again.",
	},
	{
		Code: FileInUse, Class: BadRequest,
		Cause:  "A batch that has not ended reads the file.",
		Remedy: "Wait for the batch, or cancel it with `POST /v1/batches/{id}/cancel`, and delete the file then.",
	},
	{
		Code: BatchUnknown, Class: NotFound,
		Cause:  "The API key has no batch with this ID: another key has it, or it is older than 30 days.",
		Remedy: "List the batches of the key with `GET /v1/batches`.",
	},
	{
		Code: BatchEnded, Class: BadRequest,
		Cause:  "A batch was to be canceled that has ended, or whose files are written at the moment.",
		Remedy: "None needed: read its answers with `GET /v1/files/{output_file_id}/content`.",
	},
	{
		Code: BatchElsewhere, Class: Busy,
		Cause: "The node was upgraded while lines of the batch were in progress. The previous process has the batch " +
			"until they have their answers.",
		Remedy: "Send the request again a little later.", Retryable: true,
	},
	{
		Code: BatchStorageFull, Class: BadRequest,
		Cause: "The files, answers and batches of the API key fill its storage (`-aiBatchKeyStorage`), or those of all " +
			"keys that of the gateway (`-aiBatchStorage`).",
		Remedy: "Delete files with `DELETE /v1/files/{id}`, or have the operator raise the option that the text names.",
	},
	{
		Code: BatchStoreFailed, Class: Internal,
		Cause:  "A file or a batch below `batches` in the data directory cannot be read or written.",
		Remedy: "Look at the text for the reason, and at the owner and the mode of the directory: `ls -ld DIR/batches`.",
	},
}
