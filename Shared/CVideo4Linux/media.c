#include "CVideo4Linux.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

enum { part_limit = 4096 };

static int ask(int fd, struct media_v2_topology *topology) {
    int result;
    do {
        result = ioctl(fd, MEDIA_IOC_G_TOPOLOGY, topology);
    } while (result == -1 && errno == EINTR);
    return result == -1 ? -errno : 0;
}

void cv4l2_free_topology(struct cv4l2_topology *topology) {
    free(topology->entities);
    free(topology->interfaces);
    free(topology->pads);
    free(topology->links);
    memset(topology, 0, sizeof *topology);
}

// The kernel fails with ENOSPC when there are more parts now than it was given room for; the next try counts again.
static int read_once(int fd, struct cv4l2_topology *to) {
    struct media_v2_topology raw;
    memset(&raw, 0, sizeof raw);
    int result = ask(fd, &raw);
    if (result != 0) return result;
    if (raw.num_entities > part_limit || raw.num_interfaces > part_limit || raw.num_pads > part_limit
        || raw.num_links > part_limit)
        return -E2BIG;
    struct media_v2_entity *entities = calloc(raw.num_entities + 1, sizeof *entities);
    struct media_v2_interface *interfaces = calloc(raw.num_interfaces + 1, sizeof *interfaces);
    struct media_v2_pad *pads = calloc(raw.num_pads + 1, sizeof *pads);
    struct media_v2_link *links = calloc(raw.num_links + 1, sizeof *links);
    to->entities = calloc(raw.num_entities + 1, sizeof *to->entities);
    to->interfaces = calloc(raw.num_interfaces + 1, sizeof *to->interfaces);
    to->pads = calloc(raw.num_pads + 1, sizeof *to->pads);
    to->links = calloc(raw.num_links + 1, sizeof *to->links);
    result = -ENOMEM;
    if (entities && interfaces && pads && links && to->entities && to->interfaces && to->pads && to->links) {
        raw.ptr_entities = (uintptr_t)entities;
        raw.ptr_interfaces = (uintptr_t)interfaces;
        raw.ptr_pads = (uintptr_t)pads;
        raw.ptr_links = (uintptr_t)links;
        to->entity_count = raw.num_entities;
        to->interface_count = raw.num_interfaces;
        to->pad_count = raw.num_pads;
        to->link_count = raw.num_links;
        result = ask(fd, &raw);
    }
    // Fewer parts than before are zeros at the ends, which are no parts.
    for (uint32_t i = 0; result == 0 && i < to->entity_count; i++)
        to->entities[i] = (struct cv4l2_entity){entities[i].id, entities[i].function};
    for (uint32_t i = 0; result == 0 && i < to->interface_count; i++)
        to->interfaces[i] = (struct cv4l2_interface){
            interfaces[i].id, interfaces[i].intf_type, interfaces[i].devnode.major, interfaces[i].devnode.minor};
    for (uint32_t i = 0; result == 0 && i < to->pad_count; i++)
        to->pads[i] = (struct cv4l2_pad){pads[i].id, pads[i].entity_id, pads[i].flags};
    for (uint32_t i = 0; result == 0 && i < to->link_count; i++)
        to->links[i] = (struct cv4l2_link){links[i].source_id, links[i].sink_id, links[i].flags};
    free(entities);
    free(interfaces);
    free(pads);
    free(links);
    return result;
}

int cv4l2_get_topology(int fd, struct cv4l2_topology *topology) {
    int result = -ENOSPC;
    for (int attempt = 0; attempt < 3 && result == -ENOSPC; attempt++) {
        memset(topology, 0, sizeof *topology);
        result = read_once(fd, topology);
        if (result != 0) cv4l2_free_topology(topology);
    }
    return result;
}
