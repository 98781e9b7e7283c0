// A driver for tests: the functions of libcuda that package driver calls, on the
// memory of the host. It checks what a real one takes on trust: that a context is
// current on the calling thread, that handles are alive, that copies stay inside
// buffers and asynchronous ones use pinned memory. Work on a stream runs as late as
// it may, when somebody waits for it, so that a buffer that is reused too early
// shows. Functions whose names start with fake_ are for the test.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

typedef int CUresult;
typedef int CUdevice;
typedef uint64_t CUdeviceptr;
enum {
	OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, NO_DEVICE = 100, INVALID_DEVICE = 101,
	INVALID_CONTEXT = 201, INVALID_PTX = 218, UNSUPPORTED_PTX = 222, INVALID_HANDLE = 400, NOT_FOUND = 500,
	NOT_READY = 600, ILLEGAL_ADDRESS = 700,
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// ---- what is alive

enum kind { CONTEXT = 1, MODULE, FUNCTION, STREAM, EVENT, DEVICE_MEMORY, HOST_MEMORY };

struct param { size_t offset, size; };

struct op {
	enum { COPY, FILL, RECORD, WAIT, KERNEL } what;
	uint64_t seq;
	uint64_t to, from, n;
	int byte;
	struct thing *event, *stream, *function;
	uint64_t until; // WAIT: the last operation of stream to wait for
	unsigned grid[3], block[3], shared;
	unsigned char params[4096];
	struct op *next;
};

struct thing {
	enum kind kind;
	int alive;
	struct thing *next;
	// memory
	char *p;
	size_t n;
	// module and function
	char *text, *name;
	struct param param[64];
	int params;
	size_t param_bytes;
	int allowed;
	struct thing *module;
	// stream
	struct op *head, *tail;
	uint64_t seq;
	// event
	struct thing *on;
	uint64_t at;
	double time;
	int flags, timed;
};

static struct thing *things;
static struct thing *context;
static int context_refs;
static CUresult sticky; // what a kernel ran into; every later call returns it
static double clock_ms;
static uint64_t allocated;
static char complaint[256];

static struct {
	int version, devices, major, minor, eager, params, init;
	volatile int slow; // microseconds that a call takes before it looks at its arguments; a hundred times as many if those are lists
	int64_t memory;
} config;

static __thread struct thing *current;
static __thread int current_epoch;
static int epoch;

static void complain(const char *what, const char *detail) {
	if (!complaint[0]) snprintf(complaint, sizeof complaint, "%s: %s", what, detail);
}

// Things are never freed, so that a handle of a dead one is known as such.
static struct thing *new_thing(enum kind kind) {
	struct thing *t = calloc(1, sizeof *t);
	t->kind = kind, t->alive = 1;
	t->next = things, things = t;
	return t;
}

static int is(void *handle, enum kind kind) {
	for (struct thing *t = things; t; t = t->next)
		if (t == handle) return t->kind == kind && t->alive;
	return 0;
}

// inside reports whether n bytes at p are in one living allocation.
static int inside(enum kind kind, uint64_t p, uint64_t n) {
	for (struct thing *t = things; t; t = t->next)
		if (t->kind == kind && t->alive && p >= (uint64_t)t->p && n <= t->n && p - (uint64_t)t->p <= t->n - n) return 1;
	return 0;
}

// ---- calls

static struct { char name[48]; int64_t calls; CUresult fail; int after, times; } counted[128];

static int slot(const char *name) {
	for (int i = 0; i < 128; i++) {
		if (!counted[i].name[0]) snprintf(counted[i].name, sizeof counted[i].name, "%s", name);
		if (!strcmp(counted[i].name, name)) return i;
	}
	abort();
}

static CUresult begin(const char *name, int context_needed) {
	if (config.slow) usleep(config.slow * (!strcmp(name, "cuLaunchKernel") || !strcmp(name, "cuModuleLoadDataEx") ? 100 : 1));
	pthread_mutex_lock(&mutex);
	int i = slot(name);
	counted[i].calls++;
	if (counted[i].times > 0 && counted[i].after-- <= 0) {
		counted[i].after = 0;
		counted[i].times--;
		return counted[i].fail;
	}
	if (!config.init && strcmp(name, "cuInit") && strncmp(name, "cuGetError", 10)) return NOT_INITIALIZED;
	if (context_needed) {
		if (!current || current_epoch != epoch || !current->alive) {
			complain(name, "no context is current on this thread");
			return INVALID_CONTEXT;
		}
		return sticky;
	}
	return OK;
}

static CUresult end(CUresult r) {
	pthread_mutex_unlock(&mutex);
	return r;
}

#define BEGIN(needs) \
	CUresult r = begin(__func__, needs); \
	if (r) return end(r)
#define NEED(handle, kind) \
	if (!is(handle, kind)) { complain(__func__, "not a living " #kind); return end(INVALID_HANDLE); }

// ---- streams

static float *f32(uint64_t p, uint64_t n) {
	if (inside(DEVICE_MEMORY, p, 4 * n) && p % 4 == 0) return (float *)p;
	sticky = ILLEGAL_ADDRESS;
	return NULL;
}

static void run_kernel(struct op *o) {
	uint64_t p[3];
	uint32_t n;
	uint64_t t = o->block[0], threads = o->grid[0] * t;
	memcpy(p, o->params, sizeof p);
	if (!strcmp(o->function->name, "add_f32")) { // out[i] = a[i] + b[i], i < n
		memcpy(&n, o->params + 24, 4);
		if (n > threads) n = threads;
		float *out = f32(p[0], n), *a = f32(p[1], n), *b = f32(p[2], n);
		for (uint64_t i = 0; !sticky && i < n; i++) out[i] = a[i] + b[i];
	} else if (!strcmp(o->function->name, "reverse_f32")) { // each block by way of shared memory
		float *out = f32(p[0], threads), *in = f32(p[1], threads);
		if (o->shared < 4 * t) sticky = ILLEGAL_ADDRESS;
		for (uint64_t i = 0; !sticky && i < threads; i++) out[i] = in[i / t * t + t - 1 - i % t];
	} else if (!strcmp(o->function->name, "store_f32")) { // *out = 1
		float *out = f32(p[0], 1);
		if (out) *out = 1;
	}
}

static void drain(struct thing *s, uint64_t until) {
	while (s->head && s->head->seq <= until) {
		struct op *o = s->head;
		s->head = o->next;
		if (!s->head) s->tail = NULL;
		if (!sticky) switch (o->what) {
		case COPY: memmove((void *)o->to, (void *)o->from, o->n); break;
		case FILL: memset((void *)o->to, o->byte, o->n); break;
		case RECORD: o->event->time = clock_ms += 0.5, o->event->timed = 1; break;
		case WAIT: drain(o->stream, o->until); break;
		case KERNEL: run_kernel(o); break;
		}
		free(o);
	}
}

static void drain_all(void) {
	for (struct thing *t = things; t; t = t->next)
		if (t->kind == STREAM) drain(t, UINT64_MAX);
}

// queued_use reports whether a copy that waits reads or writes n bytes at p.
static int queued_use(uint64_t p, uint64_t n) {
	for (struct thing *t = things; t; t = t->next)
		for (struct op *o = t->head; o; o = o->next)
			if (o->what == COPY && (o->to - p < n || o->from - p < n)) return 1;
	return 0;
}

static struct op *enqueue(struct thing *s, int what) {
	struct op *o = calloc(1, sizeof *o);
	o->what = what, o->seq = ++s->seq;
	if (s->tail) s->tail->next = o; else s->head = o;
	return s->tail = o;
}

static CUresult queued(struct thing *s) {
	if (config.eager) drain(s, UINT64_MAX);
	return end(OK);
}

// ---- for the test

EXPORT void fake_reset(void) {
	pthread_mutex_lock(&mutex);
	drain_all();
	for (struct thing *t = things; t; t = t->next) {
		if (t->alive && t->kind == DEVICE_MEMORY) free(t->p);
		t->alive = 0;
	}
	memset(counted, 0, sizeof counted);
	memset(complaint, 0, sizeof complaint);
	context = NULL, context_refs = 0, sticky = 0, allocated = 0;
	config.version = 12040, config.devices = 1, config.major = 9, config.minor = 0;
	config.memory = 1 << 28, config.eager = 0, config.params = 1, config.init = 0, config.slow = 0;
	epoch++;
	pthread_mutex_unlock(&mutex);
}

__attribute__((constructor)) static void loaded(void) { fake_reset(); }

EXPORT void fake_config(const char *key, int64_t value) {
	pthread_mutex_lock(&mutex);
	if (!strcmp(key, "version")) config.version = value;
	else if (!strcmp(key, "devices")) config.devices = value;
	else if (!strcmp(key, "major")) config.major = value;
	else if (!strcmp(key, "minor")) config.minor = value;
	else if (!strcmp(key, "eager")) config.eager = value;
	else if (!strcmp(key, "memory")) config.memory = value;
	else if (!strcmp(key, "slow")) config.slow = value;
	else abort();
	pthread_mutex_unlock(&mutex);
}

// fake_fail has calls of a function fail: from the one after `after` good ones, as often as times says.
EXPORT void fake_fail(const char *name, int code, int after, int times) {
	pthread_mutex_lock(&mutex);
	int i = slot(name);
	counted[i].fail = code, counted[i].after = after, counted[i].times = times;
	pthread_mutex_unlock(&mutex);
}

EXPORT int64_t fake_calls(const char *name) {
	pthread_mutex_lock(&mutex);
	int64_t n = counted[slot(name)].calls;
	pthread_mutex_unlock(&mutex);
	return n;
}

// fake_forget makes no context current on any thread.
EXPORT void fake_forget(void) {
	pthread_mutex_lock(&mutex);
	epoch++;
	pthread_mutex_unlock(&mutex);
}

// fake_alive counts what was made and not destroyed.
EXPORT int fake_alive(void) {
	int n = 0;
	pthread_mutex_lock(&mutex);
	for (struct thing *t = things; t; t = t->next)
		n += t->alive && t->kind != FUNCTION;
	pthread_mutex_unlock(&mutex);
	return n;
}

// fake_complaint copies what was wrong with a call to 256 bytes at s, and forgets it.
EXPORT void fake_complaint(char *s) {
	pthread_mutex_lock(&mutex);
	memcpy(s, complaint, sizeof complaint);
	complaint[0] = 0;
	pthread_mutex_unlock(&mutex);
}

// ---- the driver

EXPORT CUresult cuInit(unsigned flags) {
	BEGIN(0);
	if (flags) return end(INVALID_VALUE);
	config.init = 1;
	return end(config.devices ? OK : NO_DEVICE);
}

EXPORT CUresult cuDriverGetVersion(int *version) {
	BEGIN(0);
	*version = config.version;
	return end(OK);
}

static const struct { int code; const char *name, *text; } results[] = {
	{INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
	{OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
	{NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
	{INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
	{INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
	{NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
	{ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
};

EXPORT CUresult cuGetErrorName(CUresult code, const char **s) {
	BEGIN(0);
	for (unsigned i = 0; i < sizeof results / sizeof *results; i++)
		if (results[i].code == code) { *s = results[i].name; return end(OK); }
	return end(INVALID_VALUE);
}

EXPORT CUresult cuGetErrorString(CUresult code, const char **s) {
	BEGIN(0);
	for (unsigned i = 0; i < sizeof results / sizeof *results; i++)
		if (results[i].code == code) { *s = results[i].text; return end(OK); }
	return end(INVALID_VALUE);
}

EXPORT CUresult cuDeviceGetCount(int *n) {
	BEGIN(0);
	*n = config.devices;
	return end(OK);
}

#define DEVICE(d) \
	if ((d) < 7 || (d) >= 7 + config.devices) return end(INVALID_DEVICE) // no ordinal, so that the two are not confused

EXPORT CUresult cuDeviceGet(CUdevice *d, int ordinal) {
	BEGIN(0);
	*d = ordinal + 7;
	DEVICE(*d);
	return end(OK);
}

EXPORT CUresult cuDeviceGetName(char *name, int len, CUdevice d) {
	BEGIN(0);
	DEVICE(d);
	snprintf(name, len, "Fake GPU %d", d - 7);
	return end(OK);
}

EXPORT CUresult cuDeviceGetAttribute(int *v, int attribute, CUdevice d) {
	BEGIN(0);
	DEVICE(d);
	switch (attribute) {
	case 13: *v = 1980000; break;
	case 16: *v = 132; break;
	case 38: *v = 50 << 20; break;
	case 75: *v = config.major; break;
	case 76: *v = config.minor; break;
	case 82: *v = 65536; break;
	case 97: *v = 232448; break;
	default: return end(INVALID_VALUE);
	}
	return end(OK);
}

EXPORT CUresult cuDeviceTotalMem_v2(size_t *n, CUdevice d) {
	BEGIN(0);
	DEVICE(d);
	*n = config.memory;
	return end(OK);
}

EXPORT CUresult cuDevicePrimaryCtxRetain(void **c, CUdevice d) {
	BEGIN(0);
	DEVICE(d);
	if (!context_refs++) context = new_thing(CONTEXT);
	*c = context;
	return end(OK);
}

EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice d) {
	BEGIN(0);
	DEVICE(d);
	if (!context_refs) return end(INVALID_CONTEXT);
	if (--context_refs) return end(OK);
	// Everything goes with the context. Its users are to have destroyed what was theirs, if they still could.
	for (struct thing *t = things; t; t = t->next) {
		if (t->alive && t->kind != CONTEXT && t->kind != FUNCTION && !sticky) complain(__func__, "something is left on the device");
		t->alive = 0;
	}
	sticky = 0;
	return end(OK);
}

EXPORT CUresult cuCtxSetCurrent(void *c) {
	BEGIN(0);
	NEED(c, CONTEXT);
	current = c, current_epoch = epoch;
	return end(OK);
}

EXPORT CUresult cuCtxSynchronize(void) {
	BEGIN(1);
	drain_all();
	return end(sticky);
}

// param_list reads ".param .u64 name, ..." between the brackets after an entry.
static void param_list(struct thing *f, const char *p) {
	size_t at = 0;
	for (const char *stop = strchr(p, ')'); (p = strstr(p, ".param .")) && p < stop;) {
		p += strlen(".param .");
		size_t size = atoi(p + 1) / 8;
		at = (at + size - 1) / size * size;
		f->param[f->params++] = (struct param){at, size};
		f->param_bytes = at += size;
	}
}

EXPORT CUresult cuModuleLoadDataEx(void **m, const void *image, unsigned n, int *options, void **values) {
	BEGIN(1);
	char *info = NULL, *error = NULL;
	void **info_size = NULL, **error_size = NULL;
	for (unsigned i = 0; i < n; i++) switch (options[i]) {
	case 3: info = values[i]; break;
	case 4: info_size = &values[i]; break;
	case 5: error = values[i]; break;
	case 6: error_size = &values[i]; break;
	case 12: if (values[i] != (void *)1) complain(__func__, "LOG_VERBOSE is not 1"); break;
	default: complain(__func__, "an unknown option"); return end(INVALID_VALUE);
	}
	if (!info || !error || !info_size || !error_size) {
		complain(__func__, "no buffers for logs");
		return end(INVALID_VALUE);
	}
	const char *text = image, *bad = strstr(text, "no_such_instruction");
	*info = *error = 0;
	int line = 1;
	for (const char *p = text; bad && p < bad; p++) line += *p == '\n';
	if (bad) {
		int k = snprintf(error, (size_t)*error_size, "ptxas application ptx input, line %d; error   : Not a name of any known instruction: 'no_such_instruction'\nptxas fatal   : Ptx assembly aborted due to errors", line);
		*error_size = (void *)(size_t)k;
		*info_size = 0;
		return end(INVALID_PTX);
	}
	int k = snprintf(info, (size_t)*info_size, "ptxas info    : 0 bytes gmem\n%s",
		strstr(text, "fake_serialised") ? "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient register resources\n" : "");
	*info_size = (void *)(size_t)k;
	*error_size = 0;
	struct thing *t = new_thing(MODULE);
	t->text = strdup(text);
	*m = t;
	return end(OK);
}

EXPORT CUresult cuModuleUnload(void *m) {
	BEGIN(1);
	NEED(m, MODULE);
	drain_all();
	((struct thing *)m)->alive = 0;
	for (struct thing *t = things; t; t = t->next)
		if (t->kind == FUNCTION && t->module == m) t->alive = 0;
	return end(OK);
}

EXPORT CUresult cuModuleGetFunction(void **f, void *m, const char *name) {
	BEGIN(1);
	NEED(m, MODULE);
	char head[128];
	snprintf(head, sizeof head, ".entry %s(", name);
	const char *p = strstr(((struct thing *)m)->text, head);
	if (!p) return end(NOT_FOUND);
	struct thing *t = new_thing(FUNCTION);
	t->module = m, t->name = strdup(name);
	param_list(t, p);
	*f = t;
	return end(OK);
}

EXPORT CUresult cuFuncGetAttribute(int *v, int attribute, void *f) {
	BEGIN(1);
	NEED(f, FUNCTION);
	int big = !!strstr(((struct thing *)f)->name, "big");
	switch (attribute) {
	case 0: *v = big ? 256 : 1024; break;
	case 1: *v = big ? 1024 : 0; break;
	case 3: *v = big ? 16 : 0; break;
	case 4: *v = big ? 255 : 10; break;
	default: return end(INVALID_VALUE);
	}
	return end(OK);
}

EXPORT CUresult cuFuncSetAttribute(void *f, int attribute, int v) {
	BEGIN(1);
	NEED(f, FUNCTION);
	if (attribute != 8 || v < 0 || v > 232448) return end(INVALID_VALUE);
	((struct thing *)f)->allowed = v;
	return end(OK);
}

EXPORT CUresult cuFuncGetParamInfo(void *f, size_t i, size_t *offset, size_t *size) {
	BEGIN(1);
	NEED(f, FUNCTION);
	struct thing *t = f;
	if (i >= (size_t)t->params) return end(INVALID_VALUE);
	*offset = t->param[i].offset;
	*size = t->param[i].size;
	return end(OK);
}

EXPORT CUresult cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
		unsigned shared, void *stream, void **params, void **extra) {
	BEGIN(1);
	NEED(f, FUNCTION);
	NEED(stream, STREAM);
	struct thing *t = f;
	if (!gx || !gy || !gz || !bx || !by || !bz || gy > 65535 || gz > 65535 || bz > 64 || (uint64_t)bx * by * bz > 1024) return end(INVALID_VALUE);
	if (shared > 48 << 10 && (int)shared > t->allowed) return end(INVALID_VALUE);
	if (params) {
		complain(__func__, "both ways to pass parameters");
		return end(INVALID_VALUE);
	}
	void *block = NULL;
	size_t size = 0;
	for (; *extra; extra += 2) {
		if (extra[0] == (void *)1) block = extra[1];
		else if (extra[0] == (void *)2) size = *(size_t *)extra[1];
		else return end(INVALID_VALUE);
	}
	if (size != t->param_bytes || (size && !block)) return end(INVALID_VALUE);
	struct op *o = enqueue(stream, KERNEL);
	o->function = t;
	memcpy(o->params, block, size);
	unsigned g[] = {gx, gy, gz}, b[] = {bx, by, bz};
	memcpy(o->grid, g, sizeof g);
	memcpy(o->block, b, sizeof b);
	o->shared = shared;
	return queued(stream);
}

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t n) {
	BEGIN(1);
	if (!n) return end(INVALID_VALUE);
	if (n > config.memory - allocated) return end(OUT_OF_MEMORY);
	struct thing *t = new_thing(DEVICE_MEMORY);
	t->p = aligned_alloc(256, (n + 255) / 256 * 256), t->n = n;
	memset(t->p, 0xcd, n);
	allocated += n;
	*p = (CUdeviceptr)t->p;
	return end(OK);
}

EXPORT CUresult cuMemFree_v2(CUdeviceptr p) {
	BEGIN(1);
	drain_all();
	for (struct thing *t = things; t; t = t->next) {
		if (t->kind != DEVICE_MEMORY || !t->alive || t->p != (char *)p) continue;
		t->alive = 0;
		allocated -= t->n;
		free(t->p);
		return end(sticky);
	}
	complain(__func__, "no living buffer starts there");
	return end(INVALID_VALUE);
}

EXPORT CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total) {
	BEGIN(1);
	*free_bytes = config.memory - allocated;
	*total = config.memory;
	return end(OK);
}

EXPORT CUresult cuMemAllocHost_v2(void **p, size_t n) {
	BEGIN(1);
	struct thing *t = new_thing(HOST_MEMORY);
	*p = t->p = malloc(n), t->n = n;
	return end(OK);
}

EXPORT CUresult cuMemFreeHost(void *p) {
	BEGIN(1);
	for (struct thing *t = things; t; t = t->next) {
		if (t->kind != HOST_MEMORY || !t->alive || t->p != p) continue;
		if (!sticky && queued_use((uint64_t)p, t->n)) complain(__func__, "a queued copy uses it");
		t->alive = 0;
		free(p);
		return end(OK);
	}
	complain(__func__, "no living buffer starts there");
	return end(INVALID_VALUE);
}

static CUresult copy(const char *name, uint64_t to, enum kind to_kind, uint64_t from, enum kind from_kind, size_t n, void *stream) {
	CUresult r = begin(name, 1);
	if (r) return end(r);
	if (!is(stream, STREAM)) {
		complain(name, "not a living STREAM");
		return end(INVALID_HANDLE);
	}
	if (!n || !inside(to_kind, to, n) || !inside(from_kind, from, n)) {
		complain(name, "outside device or pinned memory");
		return end(INVALID_VALUE);
	}
	struct op *o = enqueue(stream, COPY);
	o->to = to, o->from = from, o->n = n;
	return queued(stream);
}

EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t n, void *stream) {
	return copy(__func__, to, DEVICE_MEMORY, (uint64_t)from, HOST_MEMORY, n, stream);
}

EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t n, void *stream) {
	return copy(__func__, (uint64_t)to, HOST_MEMORY, from, DEVICE_MEMORY, n, stream);
}

EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t n, void *stream) {
	return copy(__func__, to, DEVICE_MEMORY, from, DEVICE_MEMORY, n, stream);
}

EXPORT CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char byte, size_t n, void *stream) {
	BEGIN(1);
	NEED(stream, STREAM);
	if (!n || !inside(DEVICE_MEMORY, to, n)) {
		complain(__func__, "outside device memory");
		return end(INVALID_VALUE);
	}
	struct op *o = enqueue(stream, FILL);
	o->to = to, o->byte = byte, o->n = n;
	return queued(stream);
}

EXPORT CUresult cuStreamCreate(void **s, unsigned flags) {
	BEGIN(1);
	if (flags != 1) complain(__func__, "a stream that waits for the null stream");
	*s = new_thing(STREAM);
	return end(OK);
}

EXPORT CUresult cuStreamDestroy_v2(void *s) {
	BEGIN(1);
	NEED(s, STREAM);
	drain(s, UINT64_MAX);
	((struct thing *)s)->alive = 0;
	return end(OK);
}

EXPORT CUresult cuStreamSynchronize(void *s) {
	BEGIN(1);
	NEED(s, STREAM);
	drain(s, UINT64_MAX);
	return end(sticky);
}

EXPORT CUresult cuStreamWaitEvent(void *s, void *e, unsigned flags) {
	BEGIN(1);
	NEED(s, STREAM);
	NEED(e, EVENT);
	if (flags) return end(INVALID_VALUE);
	struct thing *event = e;
	if (event->on) {
		struct op *o = enqueue(s, WAIT);
		o->stream = event->on, o->until = event->at;
	}
	return queued(s);
}

EXPORT CUresult cuEventCreate(void **e, unsigned flags) {
	BEGIN(1);
	struct thing *t = new_thing(EVENT);
	t->flags = flags;
	*e = t;
	return end(OK);
}

EXPORT CUresult cuEventDestroy_v2(void *e) {
	BEGIN(1);
	NEED(e, EVENT);
	((struct thing *)e)->alive = 0;
	return end(OK);
}

EXPORT CUresult cuEventRecord(void *e, void *s) {
	BEGIN(1);
	NEED(e, EVENT);
	NEED(s, STREAM);
	struct thing *event = e;
	struct op *o = enqueue(s, RECORD);
	o->event = event;
	event->on = s, event->at = o->seq, event->timed = 0;
	return queued(s);
}

EXPORT CUresult cuEventSynchronize(void *e) {
	BEGIN(1);
	NEED(e, EVENT);
	struct thing *event = e;
	if (event->on) drain(event->on, event->at);
	return end(sticky);
}

EXPORT CUresult cuEventElapsedTime(float *ms, void *from, void *to) {
	BEGIN(1);
	NEED(from, EVENT);
	NEED(to, EVENT);
	struct thing *a = from, *b = to;
	if (!a->on || !b->on || a->flags & 2 || b->flags & 2) return end(INVALID_HANDLE);
	if (!a->timed || !b->timed) return end(NOT_READY);
	*ms = (float)(b->time - a->time);
	return end(OK);
}
