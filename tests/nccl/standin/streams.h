/* streams.h - what streams, events and graphs of the stand-in are; for streams.c and graphs.c. See
 * standin.h. */
#ifndef HS_TESTS_STANDIN_STREAMS_H
#define HS_TESTS_STANDIN_STREAMS_H

#include "standin.h"

/* One recording of an event. */
struct moment {
    int users; /* the event, commands that record it or wait for it, a launch */
    bool passed;
    double seconds;
    struct standin_clock clock;
    struct capture *capture; /* recorded in a capture: */
    size_t number;
};

enum command_kind { COMMAND_WORK, COMMAND_RECORD, COMMAND_WAIT };

/* What is queued on a stream or captured in a graph. */
struct command {
    enum command_kind kind;
    struct standin_work work;
    struct moment *moment; /* queued */
    size_t number;         /* captured: of the moment */
    int lane;              /* captured: of the stream */
    struct command *next;
};

struct queue {
    struct command *first, **end;
};

struct CUstream_st {
    int id;
    bool dead;
    struct queue queue;
    struct standin_clock clock;
    double seconds; /* that its work took by $STANDIN_SECONDS */
    struct capture *capture;
    int lane; /* in the capture */
    struct CUstream_st *next;
};

struct CUevent_st {
    bool dead, timed;
    struct moment *latest;
    struct CUevent_st *next;
};

#define LANES_MAX 64
struct capture {
    struct queue commands;
    size_t moments;
    int lanes;
    cudaStream_t streams[LANES_MAX];
    uint32_t clocks[LANES_MAX][LANES_MAX]; /* of lanes, for "is all joined?" */
    uint32_t (*moment_clocks)[LANES_MAX];  /* [moments] */
    struct capture *next;
};

struct CUgraph_st {
    struct capture *capture;
    bool dead;
};
struct CUgraphExec_st {
    struct capture *capture;
    cudaStream_t streams[LANES_MAX];
    bool dead;
    struct CUgraphExec_st *next;
};

/* Remembers a code for cudaGetLastError and returns it. */
cudaError_t standin_result(cudaError_t code);
/* Zeroed memory. */
void *standin_need(size_t bytes);
void standin_append(struct queue *queue, const struct command *command);
struct moment *standin_use(struct moment *moment);
/* NULL is accepted. */
void standin_drop(struct moment *moment);
cudaStream_t standin_new_stream(void);
/* Rules `capture` and `memory`. */
void standin_check_stream(cudaStream_t stream, const char *call);
void standin_check_not_capturing(cudaStream_t stream, const char *call);
/* Queues on a stream that is not being captured. */
void standin_put_live(cudaStream_t stream, const struct standin_work *work);
struct moment *standin_record_live(cudaStream_t stream);
void standin_wait_live(cudaStream_t stream, struct moment *moment);
void standin_join_capture(cudaStream_t stream, struct capture *capture);
/* Instantiated graphs that are not destroyed. */
size_t standin_graph_count(void);

#endif
