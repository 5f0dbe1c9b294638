/* play.c - see play.h. */
#include "links/play.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/list.h"
#include "model/traffic.h"
#include "system/links.h"

#define AT_ONCE 1e-9 /* seconds: what happens so close together is seen together */

/* A time, and what it is made of. */
struct moment {
    double at, latency, moving;
};

enum kind { RESUMED, MOVED, CAME };

struct event {
    struct moment when;
    enum kind kind;
    int message;
    unsigned version; /* of MOVED: void if the message's is another by now */
};

/* How far a message is. */
enum state { WAITS, IS_POSTED, HAS_LEFT, HAS_COME, IS_USED };
struct progress {
    enum state state;
    bool expected; /* its receive is posted */
    int following; /* the next in its channel's queue; -1: none */
    int place;     /* among those that are sent */
};

/* What moves on a way between two units; the first of its queue does. */
struct channel {
    int first, last;          /* messages; -1: none */
    bool moves;               /* else it waits for its receive */
    bool has_moved;           /* its sender does not know yet */
    bool shares;              /* links with others */
    double left, rate, since; /* bytes, bytes per second */
    struct moment began;
    unsigned version;
};

/* A flow's messages one way: those from `next` on are still to be sent, or used. */
struct flow {
    int next, end; /* places in the list */
    int ready;     /* those before it can be sent, as was seen last */
    int other;     /* the first that has not left; whose receive is not posted */
};

enum step { TO_POST, TO_USE, TO_END };

/* A unit, that looks at one of its flows. */
struct rank {
    int flow, kept;      /* message that it is about to send, or -1 */
    enum step step;      /* in this flow */
    bool moved;          /* in this round */
    bool sleeps;         /* until something happens */
    struct moment free;  /* when its next message can leave */
    bool woken, resumes; /* something happened; the message that it kept can leave */
    struct moment when;
};

/* Links that several ways pass. */
struct sharing {
    int *channels, count; /* that move and may share a link */
    bool *fixed;          /* [count] has its share */
    int *users, *waiting; /* [links] ways of messages; channels without a share yet */
    double *room;         /* [links] bytes per second that nobody has yet */
    bool *seen;           /* [ways] some message's */
    bool stale;           /* others move than those who have shares */
};

/* What is to happen, as a heap. */
struct heap {
    struct event *items;
    size_t count, room;
    bool fails; /* no memory */
};

struct player {
    const struct hs_play *play;
    struct progress *messages; /* [count] */
    int *lists[2];             /* [count] messages by flow: sent, used */
    int width;                 /* flows, and channels, of a unit */
    struct flow *flows[2];     /* [units * width] */
    struct channel *channels;  /* [units * width] */
    struct rank *ranks;        /* [units] */
    struct sharing sharing;
    struct heap heap;
    int *woken, woken_count; /* [units] of them */
    struct moment end;
};

/* ---- events ---- */

static bool is_before(const struct event *a, const struct event *b)
{
    if (a->when.at != b->when.at)
        return a->when.at < b->when.at;
    return a->kind != b->kind ? a->kind < b->kind : a->message < b->message;
}

static void push(struct player *player, struct event event)
{
    size_t at = player->heap.count;

    if (!hs_grow(&player->heap.items, &player->heap.room, at, sizeof(event), NULL)) {
        player->heap.fails = true;
        return;
    }
    player->heap.count++;
    for (; at > 0 && is_before(&event, &player->heap.items[(at - 1) / 2]); at = (at - 1) / 2)
        player->heap.items[at] = player->heap.items[(at - 1) / 2];
    player->heap.items[at] = event;
}

static struct event pop(struct player *player)
{
    struct event top = player->heap.items[0], moved = player->heap.items[--player->heap.count];
    size_t at = 0;

    for (size_t child; (child = 2 * at + 1) < player->heap.count; at = child) {
        if (child + 1 < player->heap.count &&
            is_before(&player->heap.items[child + 1], &player->heap.items[child]))
            child++;
        if (!is_before(&player->heap.items[child], &moved))
            break;
        player->heap.items[at] = player->heap.items[child];
    }
    player->heap.items[at] = moved;
    return top;
}

/* ---- links ---- */

static const struct hs_play_way *way_of(const struct player *player, int message)
{
    return &player->play->ways[player->play->messages[message].way];
}

static int channel_of(const struct player *player, int message)
{
    const struct hs_play_message *sent = &player->play->messages[message];

    return sent->from * player->width + way_of(player, message)->nth * player->play->units +
           sent->to;
}

/* A message moves at a rate from now on. */
static void set_rate(struct player *player, struct channel *channel, double now, double rate)
{
    struct moment end = channel->began;

    channel->left = fmax(0, channel->left - channel->rate * (now - channel->since));
    channel->since = now;
    channel->rate = rate;
    end.at = now + channel->left / rate;
    end.moving += end.at - channel->began.at;
    push(player,
         (struct event){
             .when = end, .kind = MOVED, .message = channel->first, .version = ++channel->version});
}

/* The link that leaves the least to each of those that wait for a share of it; -1: nobody waits. */
static int tightest(const struct player *player, double *share)
{
    int found = -1;

    for (int i = 0; i < player->sharing.count; i++) {
        const struct channel *channel = &player->channels[player->sharing.channels[i]];
        const struct hs_play_way *way = way_of(player, channel->first);

        for (int l = 0; l < way->count && !player->sharing.fixed[i]; l++) {
            int link = way->links[l], users = player->sharing.waiting[link];

            if (users > 0 && (found < 0 || player->sharing.room[link] / users < *share)) {
                found = link;
                *share = player->sharing.room[link] / users;
            }
        }
    }
    return found;
}

static bool passes(const struct hs_play_way *way, int link)
{
    for (int l = 0; l < way->count; l++)
        if (way->links[l] == link)
            return true;
    return false;
}

/* Those that may share links get what is fair: the most for who has the least, and so on. */
static void max_min(struct player *player, double now)
{
    double share = 0;

    player->sharing.stale = false;
    for (int i = 0; i < player->sharing.count; i++) {
        const struct hs_play_way *way =
            way_of(player, player->channels[player->sharing.channels[i]].first);

        player->sharing.fixed[i] = false;
        for (int l = 0; l < way->count; l++) {
            player->sharing.room[way->links[l]] = player->play->rates[way->links[l]];
            player->sharing.waiting[way->links[l]] = 0;
        }
    }
    for (int i = 0; i < player->sharing.count; i++) {
        const struct hs_play_way *way =
            way_of(player, player->channels[player->sharing.channels[i]].first);

        for (int l = 0; l < way->count; l++)
            player->sharing.waiting[way->links[l]]++;
    }
    for (int link; (link = tightest(player, &share)) >= 0;)
        for (int i = 0; i < player->sharing.count; i++) {
            struct channel *channel = &player->channels[player->sharing.channels[i]];
            const struct hs_play_way *way = way_of(player, channel->first);

            if (player->sharing.fixed[i] || !passes(way, link))
                continue;
            player->sharing.fixed[i] = true;
            for (int l = 0; l < way->count; l++) {
                player->sharing.room[way->links[l]] =
                    fmax(0, player->sharing.room[way->links[l]] - share);
                player->sharing.waiting[way->links[l]]--;
            }
            if (channel->rate != share)
                set_rate(player, channel, now, share);
        }
}

/* ---- messages ---- */

static void begin_moving(struct player *player, int number, struct moment when)
{
    struct channel *channel = &player->channels[number];
    const struct hs_play_message *message = &player->play->messages[channel->first];
    const struct hs_play_way *way = way_of(player, channel->first);
    double rate = INFINITY;

    channel->moves = true;
    channel->shares = false;
    channel->began = when;
    channel->left = message->bytes;
    channel->since = when.at;
    channel->rate = 0;
    for (int l = 0; l < way->count; l++) {
        rate = fmin(rate, player->play->rates[way->links[l]]);
        channel->shares |= player->sharing.users[way->links[l]] > 1;
    }
    if (!channel->shares) {
        set_rate(player, channel, when.at, rate);
        return;
    }
    player->sharing.channels[player->sharing.count++] = number;
    player->sharing.stale = true;
}

/* The links are free. */
static void end_moving(struct player *player, int number)
{
    struct channel *channel = &player->channels[number];

    channel->version++;
    if (!channel->shares)
        return;
    for (int i = 0; i < player->sharing.count; i++)
        if (player->sharing.channels[i] == number)
            player->sharing.channels[i] = player->sharing.channels[--player->sharing.count];
    player->sharing.stale = true;
}

/* Of its own messages a unit counts those that have left in their order: up to the first that has
 * not. */
static bool is_over(const struct player *player, int message, int rank)
{
    const struct hs_play_message *waited;

    if (message < 0)
        return true;
    waited = &player->play->messages[message];
    if (waited->from == rank)
        return player->messages[message].place <
               player->flows[0][rank * player->width + waited->sends].other;
    return player->messages[message].state == IS_USED;
}

/* What is first of a channel moves once it is expected. */
static void try_first(struct player *player, int number, struct moment now)
{
    struct channel *channel = &player->channels[number];

    if (channel->first >= 0 && !channel->moves && player->messages[channel->first].expected)
        begin_moving(player, number, now);
}

static void append(struct player *player, int message, struct moment now)
{
    int number = channel_of(player, message);
    struct channel *channel = &player->channels[number];

    player->messages[message].state = IS_POSTED;
    player->messages[message].following = -1;
    if (channel->first < 0)
        channel->first = message;
    else
        player->messages[channel->last].following = message;
    channel->last = message;
    try_first(player, number, now);
}

/* What has moved is on its way, and the next begins. */
static void advance(struct player *player, int number, struct moment now)
{
    struct channel *channel = &player->channels[number];
    double latency = way_of(player, channel->first)->latency_seconds;
    struct event came = {.when = now, .kind = CAME, .message = channel->first};

    came.when.at += latency;
    came.when.latency += latency;
    push(player, came);
    player->messages[channel->first].state = HAS_LEFT;
    channel->moves = channel->has_moved = false;
    channel->first = player->messages[channel->first].following;
    try_first(player, number, now);
}

static void advance_all(struct player *player, int unit, struct moment now)
{
    for (int c = unit * player->width; c < (unit + 1) * player->width; c++)
        if (player->channels[c].has_moved)
            advance(player, c, now);
}

/* ---- what a unit does ---- */

/* Posts what the flow may expect. */
static void post_receives(struct player *player, int unit, struct moment now)
{
    struct flow *used = &player->flows[1][unit * player->width + player->ranks[unit].flow];

    for (; used->other < used->end && used->other < used->next + HS_WINDOW_MAX; used->other++) {
        int message = player->lists[1][used->other];

        if (!is_over(player, player->play->messages[message].posted_behind, unit))
            return;
        player->messages[message].expected = true;
        player->ranks[unit].moved = true;
        if (player->messages[message].state == IS_POSTED)
            try_first(player, channel_of(player, message), now);
    }
}

/* Sees what the flow can send, as long as there are not too many under way. */
static void prepare_sends(struct player *player, int unit)
{
    struct flow *sent = &player->flows[0][unit * player->width + player->ranks[unit].flow];

    for (sent->ready = sent->next; sent->ready < sent->end; sent->ready++) {
        int message = player->lists[0][sent->ready];

        if (sent->ready - sent->other >= HS_WINDOW_MAX ||
            !is_over(player, player->play->messages[message].sent_behind, unit))
            return;
    }
}

/* Sees what of the flow has left; receives, and sends, what it can. */
static void look(struct player *player, int unit, struct moment now)
{
    struct flow *sent = &player->flows[0][unit * player->width + player->ranks[unit].flow];

    for (; sent->other < sent->next &&
           player->messages[player->lists[0][sent->other]].state >= HAS_LEFT;
         sent->other++)
        player->ranks[unit].moved = true; /* what waits for it may be in a flow before this one */
    post_receives(player, unit, now);
    prepare_sends(player, unit);
}

/* The flow's next message is sent, unless the unit has to keep it apart until later. True: there
 * was one. */
static bool send(struct player *player, int unit, struct moment now)
{
    struct rank *rank = &player->ranks[unit];
    struct flow *sent = &player->flows[0][unit * player->width + rank->flow];
    int message = player->lists[0][sent->next];

    if (sent->next >= sent->ready)
        return false;
    sent->next++;
    rank->moved = true;
    if (rank->free.at > now.at) {
        rank->kept = message;
        push(player, (struct event){.when = rank->free, .kind = RESUMED, .message = message});
    } else {
        rank->free = now;
        append(player, message, now);
    }
    rank->free.at += HS_MESSAGE_SECONDS;
    return true;
}

/* The flow's next message is used. True: there was one. */
static bool use(struct player *player, int unit, struct moment now)
{
    struct rank *rank = &player->ranks[unit];
    struct flow *used = &player->flows[1][unit * player->width + rank->flow];
    int message = used->next < used->end ? player->lists[1][used->next] : -1;

    if (message < 0 || player->messages[message].state != HAS_COME ||
        !is_over(player, player->play->messages[message].used_behind, unit))
        return false;
    player->messages[message].state = IS_USED;
    player->end = now.at >= player->end.at ? now : player->end;
    used->next++;
    rank->moved = true;
    return true;
}

/* To the unit's next flow that is not through; `width`: there is none in this round. */
static void pass_on(struct player *player, int unit)
{
    struct rank *rank = &player->ranks[unit];

    for (rank->flow++; rank->flow < player->width; rank->flow++) {
        const struct flow *sent = &player->flows[0][unit * player->width + rank->flow];
        const struct flow *used = &player->flows[1][unit * player->width + rank->flow];

        if (sent->other < sent->end || used->next < used->end)
            return;
    }
}

/* As the engine looks at its flows, one after the other: it posts receives, sends what can be sent,
 * uses one that has come, and does both again; until it has to keep a message apart, or finds
 * nothing to do. */
static void go_on(struct player *player, int unit, struct moment now)
{
    struct rank *rank = &player->ranks[unit];

    rank->sleeps = false;
    while (rank->kept < 0 && !rank->sleeps) {
        if (rank->step == TO_POST) {
            look(player, unit, now);
            rank->step = TO_USE;
        }
        if (send(player, unit, now))
            continue;
        if (rank->step == TO_USE && use(player, unit, now)) {
            prepare_sends(player, unit);
            rank->step = TO_END;
            continue;
        }
        if (rank->step == TO_END)
            post_receives(player, unit, now);
        rank->step = TO_POST;
        pass_on(player, unit);
        if (rank->flow < player->width)
            continue;
        rank->flow = 0;
        rank->sleeps = !rank->moved;
        rank->moved = false;
    }
}

/* What an event changes; the unit that sees it is woken, unless it keeps a message apart. */
static void happen(struct player *player, const struct event *event)
{
    const struct hs_play_message *message = &player->play->messages[event->message];
    struct channel *channel = &player->channels[channel_of(player, event->message)];
    int unit = event->kind == CAME ? message->to : message->from;
    struct rank *rank = &player->ranks[unit];

    if (event->kind == CAME) {
        player->messages[event->message].state = HAS_COME;
    } else if (event->kind == MOVED) {
        if (channel->first != event->message || channel->version != event->version)
            return;
        end_moving(player, channel_of(player, event->message));
        channel->has_moved = true;
    } else {
        rank->resumes = true;
    }
    if (!rank->sleeps && !rank->resumes)
        return;
    rank->when = event->when;
    if (!rank->woken)
        player->woken[player->woken_count++] = unit;
    rank->woken = true;
}

/* Units see what happened to them at a time, all of it, in the order in which it did. */
static void wake(struct player *player)
{
    for (int i = 0; i < player->woken_count; i++) {
        int unit = player->woken[i];
        struct rank *rank = &player->ranks[unit];
        int kept = rank->kept;

        rank->woken = false;
        advance_all(player, unit, rank->when);
        if (rank->resumes) {
            rank->kept = -1;
            append(player, kept, rank->when);
        }
        rank->resumes = false;
        go_on(player, unit, rank->when);
    }
    player->woken_count = 0;
}

/* ---- the player ---- */

/* That it is sent in, or used in. */
static struct flow *flow_of(struct player *player, const struct hs_play_message *message, int way)
{
    return &player->flows[way][way ? message->to * player->width + message->uses
                                   : message->from * player->width + message->sends];
}

/* Messages by flow, in their order. */
static void list_flows(struct player *player, int way)
{
    const struct hs_play *play = player->play;
    int flows = play->units * player->width, first = 0;

    for (size_t m = 0; m < play->count; m++) {
        const struct hs_play_message *message = &play->messages[m];

        flow_of(player, message, way)->end++;
    }
    for (int f = 0; f < flows; f++) {
        struct flow *flow = &player->flows[way][f];

        flow->next = first;
        first += flow->end;
        flow->end = flow->other = flow->next;
    }
    for (size_t m = 0; m < play->count; m++) {
        struct flow *flow = flow_of(player, &play->messages[m], way);

        if (way == 0)
            player->messages[m].place = flow->end;
        player->lists[way][flow->end++] = (int)m;
    }
}

/* How many ways pass each link. */
static void count_users(struct player *player)
{
    const struct hs_play *play = player->play;

    for (size_t m = 0; m < play->count; m++) {
        const struct hs_play_way *way = &play->ways[play->messages[m].way];

        for (int l = 0; l < way->count && !player->sharing.seen[play->messages[m].way]; l++)
            player->sharing.users[way->links[l]]++;
        player->sharing.seen[play->messages[m].way] = true;
    }
}

static void release(struct player *player)
{
    void *const all[] = {player->messages,      player->lists[0],      player->lists[1],
                         player->flows[0],      player->flows[1],      player->channels,
                         player->ranks,         player->heap.items,    player->sharing.channels,
                         player->sharing.fixed, player->sharing.users, player->sharing.waiting,
                         player->sharing.room,  player->sharing.seen,  player->woken};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
}

static bool make_room(struct player *player, const struct hs_play *play)
{
    size_t units = (size_t)play->units, links = (size_t)play->link_count + 1;
    size_t square = units * (size_t)player->width, some = play->count + 1;
    struct {
        void **place;
        size_t count, bytes;
    } rooms[] = {
        {(void **)&player->lists[0], some, sizeof(*player->lists[0])},
        {(void **)&player->lists[1], some, sizeof(*player->lists[1])},
        {(void **)&player->flows[0], square, sizeof(*player->flows[0])},
        {(void **)&player->flows[1], square, sizeof(*player->flows[1])},
        {(void **)&player->messages, some, sizeof(*player->messages)},
        {(void **)&player->channels, square, sizeof(*player->channels)},
        {(void **)&player->sharing.channels, square, sizeof(*player->sharing.channels)},
        {(void **)&player->sharing.fixed, square, sizeof(*player->sharing.fixed)},
        {(void **)&player->sharing.users, links, sizeof(*player->sharing.users)},
        {(void **)&player->sharing.waiting, links, sizeof(*player->sharing.waiting)},
        {(void **)&player->sharing.room, links, sizeof(*player->sharing.room)},
        {(void **)&player->ranks, units, sizeof(*player->ranks)},
        {(void **)&player->woken, units, sizeof(*player->woken)},
        {(void **)&player->sharing.seen, (size_t)play->way_count, sizeof(*player->sharing.seen)}};

    for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++)
        if (!(*rooms[i].place = calloc(rooms[i].count, rooms[i].bytes)))
            return false;
    return true;
}

enum hs_status hs_play(struct hs_played *played, const struct hs_play *play, struct hs_error *err)
{
    struct player player = {.play = play, .width = play->units * play->ways_each};
    bool fails = !make_room(&player, play);

    if (!fails) {
        for (int c = 0; c < play->units * player.width; c++)
            player.channels[c].first = -1;
        list_flows(&player, 0);
        list_flows(&player, 1);
        count_users(&player);
        for (int unit = 0; unit < play->units; unit++) {
            player.ranks[unit].kept = -1;
            go_on(&player, unit, (struct moment){0, 0, 0});
        }
        for (double now = 0;;) {
            struct event event;

            if (player.sharing.stale &&
                (player.heap.count == 0 || player.heap.items[0].when.at > now))
                max_min(&player, now);
            if (player.heap.count == 0)
                break;
            now = player.heap.items[0].when.at;
            while (player.heap.count > 0 && player.heap.items[0].when.at <= now + AT_ONCE) {
                event = pop(&player);
                happen(&player, &event);
            }
            wake(&player);
        }
    }
    fails = fails || player.heap.fails;
    *played = (struct hs_played){player.end.at, player.end.latency, player.end.moving};
    release(&player);
    return fails ? hs_no_memory(err) : HS_OK;
}
